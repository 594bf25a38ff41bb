"""A test server that speaks the Google Sheets API v4, with Drive and the token endpoint."""

from . import errors, faults
from .server import DRIVE, HOST, ROBOT, SPREADSHEETS, SheetsServer

__all__ = ["DRIVE", "HOST", "ROBOT", "SPREADSHEETS", "SheetsServer", "errors", "faults"]
