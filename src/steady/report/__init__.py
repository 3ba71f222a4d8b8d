"""Reports for people: comment, job summary, terminal, and HTML page.

`content.content` returns a tree of plain values from a comparison and a plan, with the `Summary` of
all counts. `output_formats` lists the formats of a comparison: pure functions from `ReportData` to
text. For a plan, there are `plan_receipt.receipt` and `plan_text.print_plan`. Only
`output_formats.write_report` and `plan_files.write_plan_files` write files.
"""
