"""Rows and cells: a book into a record, a result into tabs, free of any storage."""
