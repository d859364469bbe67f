"""Forms with a file, as clients send them."""

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test.client import BOUNDARY, encode_multipart


def multipart(file: bytes, name: str = "file") -> bytes:
    """`file` as the one part of a form, under `MULTIPART_CONTENT` of Django's test client."""
    return encode_multipart(BOUNDARY, {name: SimpleUploadedFile("upload", file)})
