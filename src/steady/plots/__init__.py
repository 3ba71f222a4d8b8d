"""Plots of results with matplotlib, for notebooks and papers. The HTML report has its own SVG."""
