"""The best of all: members with held-out scores, mixed by what these are worth together."""

from colabel.mixture.best_of import BestOf
from colabel.mixture.members import MEMBERS, Member

__all__ = ["MEMBERS", "BestOf", "Member"]
