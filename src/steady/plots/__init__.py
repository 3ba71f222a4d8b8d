"""Pictures of results by matplotlib, for notebooks and papers; the report draws its own SVG."""
