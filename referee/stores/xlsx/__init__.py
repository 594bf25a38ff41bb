"""The workbook as an .xlsx file."""
