"""The reports that people read: comment, job summary, terminal, an HTML page.

`content.content` makes a tree of plain values from a comparison and a plan, with the `Summary` of
all counts. Each output is a pure function of that tree: `comment.comment`, `comment.job_summary`,
`terminal.terminal`, `html.html`; for a plan alone `plan_receipt.receipt` and
`plan_view.print_plan`. Only `report_files.write_report` and `plan_files.write_plan_files` write
files.
"""
