"""The workbook as a Google Sheet."""
