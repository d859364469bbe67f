"""Request bodies with a file, stored in a temporary file because a child process needs a descriptor."""

import io
import tempfile
from collections.abc import Sequence
from typing import IO, Any, Self

from django.core.exceptions import SuspiciousOperation
from django.core.files.uploadhandler import TemporaryFileUploadHandler
from django.http import HttpRequest
from django.http.multipartparser import MultiPartParserError

from studyservice.http.bodies import JSON_TYPE, content_length, require_plain
from studyservice.operations.errors import InvalidRequest
from studyservice.operations.uploads import PART, Received, Upload, UploadedFile

MULTIPART = "multipart/form-data"

_CHUNK = 65_536
_FORM_END_BYTES = 1024
"""The final boundary of a form is within this many bytes of its end."""


class FormUploadHandler(TemporaryFileUploadHandler):
    """Stores each file in a temporary one. As a context manager it closes them all after an error."""

    def __init__(self, request: HttpRequest) -> None:
        super().__init__(request)
        self._files: list[IO[bytes]] = []
        self._border = b""
        self._last = b""

    def handle_raw_input(self, input_data: Any, *described: Any, **kwargs: Any) -> None:
        """Store the length. Django calls this before it reads the body, whose length may be unknown."""
        _, _, boundary, *_ = described
        self._border = b"--" + boundary + b"--"
        if isinstance(input_data, io.BytesIO):
            self._last = input_data.getvalue()[-_FORM_END_BYTES:]
            return
        read = input_data.read

        def reading(*size: int) -> bytes:
            data: bytes = read(*size)
            self._last = (self._last + data)[-_FORM_END_BYTES:]
            return data

        input_data.read = reading

    @property
    def is_whole(self) -> bool:
        """Return whether the body contained the boundary that ends a form."""
        return self._border in self._last if self._border else False

    def new_file(self, *described: Any, **kwargs: Any) -> None:
        """Start a file. Called by Django."""
        super().new_file(*described, **kwargs)
        self._files.append(self.file)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, traceback: object) -> None:
        if kind is not None:
            for file in self._files:
                file.close()


def read_upload(request: HttpRequest, upload: Upload, *, or_json: bool = False) -> Received:
    """Read the files in the body of `request`. `Received.one` checks their number later.

    Args:
        or_json: whether JSON is accepted as well; used for the error message.

    Raises:
        InvalidRequest: the body is too large, encoded, malformed, or of another type.
    """
    require_plain(request)
    if not request.content_type and not content_length(request):
        return Received([])
    is_form = request.content_type == MULTIPART
    if not is_form and request.content_type not in upload.media_types:
        taken = (f"{MULTIPART} with a part {PART}", *upload.media_types, *((JSON_TYPE,) if or_json else ()))
        types = " or ".join(taken)
        raise InvalidRequest(f"Send the file as {types}, and say so in the header Content-Type.")
    most = upload.max_body_bytes if is_form else upload.max_bytes
    if content_length(request) > most:
        raise _too_large(upload)
    try:
        received = _form(request, upload) if is_form else _whole_body(request)
    except (MultiPartParserError, SuspiciousOperation):
        raise InvalidRequest(f"The body is not valid {MULTIPART}.") from None
    if any(file.size > upload.max_bytes for file in received.files):
        received.close()
        raise _too_large(upload)
    return received


def _form(request: HttpRequest, upload: Upload) -> Received:
    with FormUploadHandler(request) as handler:
        request.upload_handlers = [handler]
        received = sent_files(request, upload.fields)
        if not handler.is_whole:
            raise MultiPartParserError("The form is incomplete.")
        return received


def sent_files(request: HttpRequest, fields: Sequence[str] = ()) -> Received:
    """Parse a form into temporary files and the named fields."""
    files = []
    for sent in request.FILES.getlist(PART):
        if sent.file is None:  # the handler above opens one for each
            raise TypeError("a file that came has no file")
        sent.file.flush()
        files.append(UploadedFile(sent.file, sent.name or "", sent.size or 0))
    return Received(files, {name: request.POST[name] for name in fields if name in request.POST})


def _whole_body(request: HttpRequest) -> Received:
    file = tempfile.TemporaryFile()  # noqa: SIM115  # `Received.close` closes it
    try:
        while chunk := request.read(_CHUNK):
            file.write(chunk)
        file.flush()
    except BaseException:
        file.close()
        raise
    return Received([UploadedFile(file, "", file.tell())])


def _too_large(upload: Upload) -> InvalidRequest:
    return InvalidRequest(f"The file is larger than {upload.max_bytes} bytes.")
