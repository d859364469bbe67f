"""Small documents of each supported type, and hostile ones, built byte by byte."""

import io
import zipfile
import zlib
from collections.abc import Iterable, Mapping, Sequence
from xml.sax.saxutils import escape

_CONTENT_TYPES = (
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="xml" ContentType="application/xml"/></Types>'
)
_WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_OPEN = (
    'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"'
    ' xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"'
    ' xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"'
)


def pdf_of(objects: Mapping[int, bytes], trailer: bytes = b"") -> bytes:
    """A PDF of numbered objects. Object 1 is the catalog."""
    out = bytearray(b"%PDF-1.7\n")
    places = {}
    for number, body in objects.items():
        places[number] = len(out)
        out += b"%d 0 obj\n%b\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 1\n0000000000 65535 f \n"
    for number, place in places.items():
        out += b"%d 1\n%010d 00000 n \n" % (number, place)
    out += b"trailer\n<< /Size %d /Root 1 0 R %b >>\nstartxref\n%d\n%%%%EOF\n" % (max(objects) + 1, trailer, start)
    return bytes(out)


def stream(content: bytes, entries: bytes = b"") -> bytes:
    """A stream object."""
    return b"<< /Length %d %b >>\nstream\n%b\nendstream" % (len(content), entries, content)


def pdf(pages: Sequence[Sequence[str]]) -> bytes:
    """A PDF with lines of text on each page."""
    objects = {1: b"<< /Type /Catalog /Pages 2 0 R >>", 3: b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"}
    kids = []
    for index, lines in enumerate(pages):
        number = 4 + 2 * index
        kids.append(b"%d 0 R" % number)
        objects[number] = (
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents %d 0 R"
            b" /Resources << /Font << /F1 3 0 R >> >> >>" % (number + 1)
        )
        objects[number + 1] = stream(_shown(lines))
    objects[2] = b"<< /Type /Pages /Count %d /Kids [%b] >>" % (len(kids), b" ".join(kids))
    return pdf_of(objects)


def _shown(lines: Iterable[str]) -> bytes:
    shown = b"BT /F1 11 Tf 14 TL 50 740 Td\n"
    for line in lines:
        text = line.encode("cp1252").replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(b")", b"\\)")
        shown += b"(%b) Tj T*\n" % text
    return shown + b"ET"


def package(parts: Mapping[str, bytes | str]) -> bytes:
    """Return a ZIP of these files."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return out.getvalue()


def docx_of(document: bytes | str, **more: bytes | str) -> bytes:
    """A DOCX with `document` as its main part."""
    return package({"[Content_Types].xml": _CONTENT_TYPES, "word/document.xml": document, **more})


def word(body: str) -> str:
    """A main part with this body."""
    return f'<?xml version="1.0" encoding="UTF-8"?><w:document {_WORD}><w:body>{body}</w:body></w:document>'


def docx(blocks: Iterable[str | Sequence[Sequence[str]]]) -> bytes:
    """A DOCX of paragraphs and tables."""

    def paragraph(text: str) -> str:
        return f"<w:p><w:pPr><w:tabs><w:tab/></w:tabs></w:pPr><w:r><w:t>{escape(text)}</w:t></w:r></w:p>"

    def table(rows: Sequence[Sequence[str]]) -> str:
        cells = ("".join(f"<w:tc>{paragraph(cell)}</w:tc>" for cell in row) for row in rows)
        return "<w:tbl>" + "".join(f"<w:tr>{row}</w:tr>" for row in cells) + "</w:tbl>"

    return docx_of(word("".join(paragraph(block) if isinstance(block, str) else table(block) for block in blocks)))


def odt_of(content: bytes | str) -> bytes:
    """An ODT with this content part."""
    return package(
        {
            "mimetype": "application/vnd.oasis.opendocument.text",
            "content.xml": content,
            "META-INF/manifest.xml": "<manifest/>",
        }
    )


def odt(blocks: Iterable[str | Sequence[Sequence[str]]]) -> bytes:
    """An ODT of paragraphs and tables."""

    def paragraph(text: str) -> str:
        return f"<text:p>{escape(text)}</text:p>"

    def table(rows: Sequence[Sequence[str]]) -> str:
        lines = ("".join(f"<table:table-cell>{paragraph(cell)}</table:table-cell>" for cell in row) for row in rows)
        return (
            "<table:table>" + "".join(f"<table:table-row>{line}</table:table-row>" for line in lines) + "</table:table>"
        )

    body = "".join(paragraph(block) if isinstance(block, str) else table(block) for block in blocks)
    return odt_of(open_document(body))


def open_document(body: str) -> str:
    """A content part with this body."""
    text = f"<office:text>{body}</office:text>"
    return f"<office:document-content {_OPEN}><office:body>{text}</office:body></office:document-content>"


def squeezed(piece: bytes, times: int) -> bytes:
    """Return `count` times `piece` in FlateDecode format, at a hundredth of the size or less."""
    packer = zlib.compressobj(1)
    return b"".join(packer.compress(piece) for _ in range(times)) + packer.flush()
