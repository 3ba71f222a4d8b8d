"""Export of results as tables: HTML for notebooks, CSV, and pandas data frames."""
