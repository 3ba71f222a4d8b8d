"""The reports that people read: comment, job summary, terminal, an HTML page.

`content.content` makes a tree of plain values from a comparison and a plan, with the `Summary` of
all counts. `output_formats` lists the formats of a comparison, pure functions from `ReportData` to
text; for a plan alone there are `plan_receipt.receipt` and `plan_text.print_plan`. Only
`output_formats.write_report` and `plan_files.write_plan_files` write files.
"""
