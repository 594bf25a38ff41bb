"""A test server that speaks the Google Sheets API v4, with Drive and the token endpoint.

    with SheetsServer(tls=True) as server:
        key = server.new_spreadsheet("Match", {"Queue": [["Team", "Time"], ["A", time(20, 5)]]})
        server.service_account_file(tmp_path / "robot.json")
        server.faults.plan("write", faults.status(503).after_applying())
        subprocess.run([...], env=server.environment())
        assert server.requests.counts() == {"token": 1, "read": 2, "write": 1}
        assert server.cells(key, "Pen") == ...

With ``tls=True`` Google's own host names lead here through a proxy, and the program under test
needs no address. Without it the server is plain HTTP at ``server.base_url``. By hand:
``python -m tests.google_sheets``.
"""

from . import errors, faults
from .server import DRIVE, HOST, ROBOT, SPREADSHEETS, SheetsServer

__all__ = ["DRIVE", "HOST", "ROBOT", "SPREADSHEETS", "SheetsServer", "errors", "faults"]
