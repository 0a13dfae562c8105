"""Charts as SVG, each drawn from plain numbers."""
