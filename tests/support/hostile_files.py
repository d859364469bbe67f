"""Documents that attack their reader. Each function returns the bytes of one."""

import io
import itertools
import struct
import zipfile

from tests.support.syllabus_files import docx, docx_of, odt_of, package, pdf, pdf_of, squeezed, stream, word

_MIB = 1024 * 1024
_CATALOG = b"<< /Type /Catalog /Pages 2 0 R >>"
_FONT = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"


def _page(contents: bytes, resources: bytes = b"/Font << /F1 5 0 R >>") -> bytes:
    return b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents %b /Resources << %b >> >>" % (
        contents,
        resources,
    )


def _one_page(content: bytes, resources: bytes = b"/Font << /F1 5 0 R >>", **more: bytes) -> bytes:
    objects = {
        1: _CATALOG,
        2: b"<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
        3: _page(b"4 0 R", resources),
        4: content,
        5: _FONT,
    }
    return pdf_of(objects | {int(number.removeprefix("n")): body for number, body in more.items()})


def flate_bomb() -> bytes:
    """A page whose content unpacks to 400 MiB of visible text."""
    return _one_page(
        stream(squeezed(b"BT /F1 9 Tf (aaaaaaaaaaaaaaaa) Tj ET\n" * 2_000, 5_600), b"/Filter /FlateDecode")
    )


def flate_bomb_in_two_layers() -> bytes:
    """The same, compressed twice."""
    inner = squeezed(b" " * _MIB, 400)
    return _one_page(stream(squeezed(inner, 1), b"/Filter [/FlateDecode /FlateDecode]"))


def nested_page_tree() -> bytes:
    """Page trees nested 20,000 deep."""
    depth = 20_000
    objects = {1: _CATALOG}
    for number in range(2, depth):
        objects[number] = b"<< /Type /Pages /Count 1 /Kids [%d 0 R] >>" % (number + 1)
    objects[depth] = _page(b"%d 0 R" % (depth + 1))
    objects[depth + 1] = stream(b"")
    return pdf_of(objects)


def cyclic_page_tree() -> bytes:
    """A page tree that has itself as a child."""
    return pdf_of({1: _CATALOG, 2: b"<< /Type /Pages /Count 9 /Kids [2 0 R 2 0 R] >>"})


def form_recursion() -> bytes:
    """A form that draws itself twice."""
    form = stream(
        b"/X Do /X Do", b"/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X 6 0 R >> >>"
    )
    return _one_page(stream(b"/X Do"), b"/XObject << /X 6 0 R >>", n6=form)


def form_fan() -> bytes:
    """Forms that draw the next ten times, ten levels deep."""
    forms = {}
    for level in range(10):
        number, following = 10 + level, 11 + level
        resources = b"/Resources << /XObject << /X %d 0 R >> /Font << /F1 5 0 R >> >>" % following
        content = b"/X Do " * 10 if level < 9 else b"BT /F1 9 Tf (a) Tj ET"
        forms[f"n{number}"] = stream(content, b"/Type /XObject /Subtype /Form /BBox [0 0 9 9] " + resources)
    return _one_page(stream(b"/X Do"), b"/XObject << /X 10 0 R >>", **forms)


def many_pages() -> bytes:
    """200,000 pages that are all the same object."""
    kids = b"3 0 R " * 200_000
    objects = {
        1: _CATALOG,
        2: b"<< /Type /Pages /Count 200000 /Kids [%b] >>" % kids,
        3: _page(b"4 0 R"),
        4: stream(b""),
        5: _FONT,
    }
    return pdf_of(objects)


def two_gigabyte_claim() -> bytes:
    """A stream that claims 2 GiB and has ten bytes."""
    return _one_page(b"<< /Length 2147483647 >>\nstream\nBT ET\nendstream")


def huge_numbers() -> bytes:
    """Object numbers and counts beyond the valid range."""
    return pdf_of({1: _CATALOG, 2: b"<< /Type /Pages /Count 2147483647 /Kids [4294967295 0 R] >>"}, b"/Size 4294967295")


def encrypted_pdf() -> bytes:
    """An encrypted file."""
    handler = b"<< /Filter /Standard /V 2 /R 3 /Length 128 /P -44 /O <%b> /U <%b> >>" % (b"ab" * 32, b"cd" * 32)
    identity = b"/Encrypt 9 0 R /ID [<%b> <%b>]" % (b"01" * 16, b"01" * 16)
    objects = {
        1: _CATALOG,
        2: b"<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
        3: _page(b"4 0 R"),
        4: stream(b"x"),
        5: _FONT,
        9: handler,
    }
    return pdf_of(objects, identity)


def truncated_pdf() -> bytes:
    """The first kilobyte of a PDF."""
    return pdf([["Week 1: read the first chapter"] * 40])[:500]


def docx_bomb() -> bytes:
    """A main part of 300 MiB."""
    return docx_of(word("").encode().replace(b"</w:body>", b" " * 300 * _MIB + b"</w:body>"))


def docx_of_text() -> bytes:
    """A main part with 40 MiB of text."""
    return docx_of(word(f"<w:p><w:r><w:t>{'due ' * 10 * _MIB}</w:t></w:r></w:p>"))


def entities() -> bytes:
    """A document type with entities that expand exponentially."""
    names = [f"e{number}" for number in range(10)]
    declared = '<!ENTITY e0 "aaaaaaaaaa">' + "".join(
        f'<!ENTITY {name} "{f"&{before};" * 10}">' for before, name in itertools.pairwise(names)
    )
    return docx_of(f"<!DOCTYPE x [{declared}]>{word('<w:p><w:r><w:t>&e9;</w:t></w:r></w:p>')}")


def external_entity() -> bytes:
    """An entity that points to a file on the server."""
    body = word("<w:p><w:r><w:t>&x;</w:t></w:r></w:p>").removeprefix('<?xml version="1.0" encoding="UTF-8"?>')
    return docx_of(f'<!DOCTYPE x [<!ENTITY x SYSTEM "file:///etc/hostname">]>{body}')


def deep_docx() -> bytes:
    """Elements 200,000 deep."""
    return docx_of(word("<w:p>" * 200_000 + "</w:p>" * 200_000))


def deep_odt() -> bytes:
    """Elements 200,000 deep, never closed."""
    return odt_of("<a>" * 200_000)


def odt_bomb() -> bytes:
    """Content of 100 MiB of white space."""
    return odt_of(b"<a>" + b" " * 100 * _MIB + b"</a>")


def truncated_docx() -> bytes:
    """A package without its end."""
    return docx(["Week 1: read the first chapter"] * 40)[:400]


def encrypted_docx() -> bytes:
    """A DOCX with a password: an OLE container with an encrypted package."""
    return b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504) + "EncryptedPackage".encode("utf-16-le") + bytes(1000)


def encrypted_parts() -> bytes:
    """A package whose files are marked as encrypted."""
    content = bytearray(docx(["secret"]))
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        place = content.find(mark)
        while place >= 0:
            content[place + offset] |= 1
            place = content.find(mark, place + 4)
    return bytes(content)


def claimed_length() -> bytes:
    """A package whose main part claims 2 GB in its directory and local header."""
    content = bytearray(docx(["short"]))
    for mark, offset in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        place = content.find(mark)
        while place >= 0:
            content[place + offset : place + offset + 4] = struct.pack("<I", 2_000_000_000)
            place = content.find(mark, place + 4)
    return bytes(content)


def zip_slip() -> bytes:
    """A package with paths outside of it. Nothing is ever unpacked to a file."""
    return docx_of(
        word("<w:p><w:r><w:t>Week 1</w:t></w:r></w:p>"),
        **{"../../../tmp/slipped": "x", "/tmp/slipped": "x"},  # noqa: S108  # never written
    )


def many_parts() -> bytes:
    """A package of 60,000 files."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for number in range(60_000):
            archive.writestr(zipfile.ZipInfo(str(number)), b"")
    return out.getvalue()


def image_named_docx() -> bytes:
    """A picture with the name of a document."""
    return b"\x89PNG\r\n\x1a\n" + bytes(200)


def package_of_something() -> bytes:
    """A ZIP that is not a document."""
    return package({"readme.txt": "hello"})


def open_tags() -> bytes:
    """3 MB of HTML elements that never end."""
    return b"<html>" + b"<table><tr><td>" * 200_000


def open_declarations() -> bytes:
    """HTML declarations that never end."""
    return b"<html>" + b"<!a" * 1_000_000


def long_row() -> bytes:
    """An HTML row with a million cells."""
    return b"<html><table><tr>" + b"<td>a" * 1_000_000
