"""Small .xlsx files as other programs write them, built part by part."""

import io
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
LINKS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
STRICT_MAIN = "http://purl.oclc.org/ooxml/spreadsheetml/main"
STRICT_LINKS = "http://purl.oclc.org/ooxml/officeDocument/relationships"
PACKAGE_LINKS = "http://schemas.openxmlformats.org/package/2006/relationships"
TYPES = "http://schemas.openxmlformats.org/package/2006/content-types"
SHEET_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"

STYLES = (
    '<numFmts count="5"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/>'
    '<numFmt numFmtId="165" formatCode="[h]:mm"/><numFmt numFmtId="166" formatCode="h:mm"/>'
    '<numFmt numFmtId="167" formatCode="d\\-mmm"/>'
    '<numFmt numFmtId="168" formatCode="0.00&quot; days&quot;"/></numFmts>'
    '<fonts count="1"><font><sz val="11"/><name val="Calibri"/></font></fonts>'
    '<fills count="1"><fill><patternFill patternType="none"/></fill></fills>'
    '<borders count="1"><border/></borders>'
    '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>'
    '<cellXfs count="8"><xf numFmtId="0"/><xf numFmtId="164"/><xf numFmtId="165"/>'
    '<xf numFmtId="166"/><xf numFmtId="167"/><xf numFmtId="22"/><xf numFmtId="168"/>'
    '<xf numFmtId="49"/></cellXfs>'
    '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles>'
)
STAMP, ELAPSED, CLOCK, DAY, BUILT_IN_STAMP, PLAIN, TEXT = range(1, 8)
"""The cell styles of `STYLES` by what they show."""


def zipped(parts: Mapping[str, str | bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """Return an archive of these parts, in their order."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def unzipped(data: bytes | Path) -> dict[str, bytes]:
    """Return the parts of an archive, each checked against its checksum."""
    source = io.BytesIO(data) if isinstance(data, bytes) else data
    with zipfile.ZipFile(source) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def sheet(rows: str, *, before: str = "", after: str = "", main: str = MAIN) -> str:
    """Return a sheet part from the XML of its rows."""
    return (
        '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
        f'<worksheet xmlns="{main}">{before}<sheetData>{rows}</sheetData>{after}</worksheet>'
    )


def book(
    sheets: Mapping[str, str],
    *,
    texts: str | None = None,
    properties: str = "",
    names: str = "",
    after_names: str = "",
    extra: Mapping[str, str | bytes] | None = None,
    targets: Sequence[str] = (),
    main: str = MAIN,
    links: str = LINKS,
) -> dict[str, str | bytes]:
    """Return the parts of a workbook whose sheets are given by title."""
    from xml.sax.saxutils import quoteattr

    files = [f"worksheets/sheet{number}.xml" for number in range(1, len(sheets) + 1)]
    shown = [*targets, *files[len(targets) :]]
    listed = "".join(
        f'<sheet name={quoteattr(title)} sheetId="{number}" r:id="rId{number}"/>'
        for number, title in enumerate(sheets, 1)
    )
    linked = "".join(
        f'<Relationship Id="rId{number}" Type="{links}/worksheet" Target="{target}"/>'
        for number, target in enumerate(shown, 1)
    )
    linked += f'<Relationship Id="rIdS" Type="{links}/styles" Target="styles.xml"/>'
    if texts is not None:
        linked += (
            f'<Relationship Id="rIdT" Type="{links}/sharedStrings" Target="sharedStrings.xml"/>'
        )
    parts: dict[str, str | bytes] = {
        "[Content_Types].xml": (
            f'<Types xmlns="{TYPES}"><Default Extension="rels" '
            'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
            '<Default Extension="xml" ContentType="application/xml"/>'
            '<Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-'
            'officedocument.spreadsheetml.sheet.main+xml"/>'
            + "".join(
                f'<Override PartName="/xl/{file}" ContentType="{SHEET_TYPE}"/>' for file in files
            )
            + "</Types>"
        ),
        "_rels/.rels": (
            f'<Relationships xmlns="{PACKAGE_LINKS}"><Relationship Id="rId1" '
            f'Type="{links}/officeDocument" Target="xl/workbook.xml"/></Relationships>'
        ),
        "xl/workbook.xml": (
            f'<workbook xmlns="{main}" xmlns:r="{links}">{properties}<sheets>{listed}</sheets>'
            f"{names}{after_names}</workbook>"
        ),
        "xl/_rels/workbook.xml.rels": (
            f'<Relationships xmlns="{PACKAGE_LINKS}">{linked}</Relationships>'
        ),
        "xl/styles.xml": f'<styleSheet xmlns="{main}">{STYLES}</styleSheet>',
    }
    for file, content in zip(files, sheets.values(), strict=True):
        parts[f"xl/{file}"] = content
    if texts is not None:
        parts["xl/sharedStrings.xml"] = f'<sst xmlns="{main}">{texts}</sst>'
    return parts | dict(extra or {})


def row(number: int, *cells: str) -> str:
    """Return a row of cells that are given as XML."""
    return f'<row r="{number}">{"".join(cells)}</row>'


def text_cell(place: str, text: str, style: int = 0) -> str:
    """Return a cell with an inline text (given as XML)."""
    return f'<c r="{place}" s="{style}" t="inlineStr"><is><t>{text}</t></is></c>'


def number_cell(place: str, digits: str, style: int = 0) -> str:
    """Return a cell with a number as it is spelt in the file."""
    return f'<c r="{place}" s="{style}"><v>{digits}</v></c>'
