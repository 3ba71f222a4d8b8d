"""The GitHub Action: from a workflow's inputs to outputs, summary, annotations and comment."""
