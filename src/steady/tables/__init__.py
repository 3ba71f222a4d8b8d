"""Results as tables of other tools: HTML for a notebook, CSV, and data frames of pandas."""
