"""Comparisons with the peers and with the papers, each answer checked before it is timed."""

import sys
from pathlib import Path

# what tests and benchmarks share: how memory is measured, how a file is written
sys.path.append(str(Path(__file__).resolve().parents[1] / "tests" / "support"))
