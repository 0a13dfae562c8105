"""Comparisons with the peers and with the papers, each answer checked before it is timed."""
