"""The reports that people read: comment, job summary, terminal, an HTML page.

Pure functions from a comparison and a plan to text, one module an output: `markdown.comment`,
`report_files.summary`, `terminal.terminal`, `html.html`; for a
plan alone `plan_receipt.receipt` and `plan_view.print_plan`. Only `report_files.write_report` and
`plan_files.write_plan_files` write files.
"""
