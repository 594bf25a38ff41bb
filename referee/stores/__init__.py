"""Where a workbook lives: an .xlsx file, a Google Sheet, a match record."""
