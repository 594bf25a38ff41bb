"""What a file is that is no .xlsx workbook, and what its owner can do about it."""

from typing import Final

_SAVE_AS: Final = "save it as an Excel workbook (.xlsx) and give that file"
_COMPOUND: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


def why_no_workbook(data: bytes) -> str | None:
    """Return what is wrong with a file's bytes, to follow its name; None for a zip archive."""
    if not data:
        return "is empty (0 bytes); take its last copy or make a new workbook"
    if data.startswith(_COMPOUND):
        if "EncryptedPackage".encode("utf-16-le") in data:
            return (
                "is protected by a password; remove it (File > Info > Protect Workbook in Excel) "
                "and save the file again"
            )
        return f"is an old Excel file (.xls); {_SAVE_AS}"
    if not data.startswith(b"PK"):
        return f"is {_guess(data)}, not an .xlsx workbook; {_SAVE_AS}"
    if b"opendocument.spreadsheet" in data[:200]:
        return f"is an OpenDocument spreadsheet (.ods); {_SAVE_AS}"
    if b"Index/Document.iwa" in data:
        return "is a Numbers document; export it as Excel (File > Export To) and give that file"
    if b"xl/workbook.bin" in data:
        return f"is a binary Excel workbook (.xlsb); {_SAVE_AS}"
    if b"PK\5\6" not in data[-0x10100:]:
        return "is cut off: its end is missing; copy or download it again"
    return None


def _guess(data: bytes) -> str:
    head = data[:4096]
    if head.startswith(b"%PDF"):
        return "a PDF"
    if head.lstrip(b"\xef\xbb\xbf \r\n\t").startswith((b"<", b"{", b"[")):
        return "a web page, XML or JSON file"
    if b"\0" not in head or head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "a text or CSV file"
    return "something else"
