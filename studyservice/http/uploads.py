"""Request bodies with a file, which goes to a temporary one: a child process that reads it needs a descriptor."""

import tempfile

from django.core.exceptions import RequestDataTooBig, SuspiciousOperation
from django.core.files.uploadhandler import TemporaryFileUploadHandler
from django.http import HttpRequest, UnreadablePostError
from django.http.multipartparser import MultiPartParserError

from studyservice.http.bodies import BodyIncomplete, content_length, require_plain
from studyservice.http.requests import Request
from studyservice.http.responses import JSON_TYPE
from studyservice.operations.errors import InvalidRequest
from studyservice.operations.uploads import PART, Received, Upload, UploadedFile

MULTIPART = "multipart/form-data"

_AROUND = 64 * 1024
"""Bytes of a form beside its file: borders, names, other fields."""

_CHUNK = 65_536


def read_upload(request: HttpRequest, upload: Upload, *, or_json: bool = False) -> Received:
    """The files in the body of `request`; how many there must be is asked later (`Received.one`).

    Args:
        or_json: whether JSON would have been taken as well, for the message to one who sends something else.

    Raises:
        InvalidRequest: the body is too large, incomplete, encoded, broken, or of another type.
    """
    require_plain(request)
    if not request.content_type and not content_length(request):
        return Received([])
    is_form = request.content_type == MULTIPART
    if not is_form and request.content_type not in upload.media_types:
        taken = (f"{MULTIPART} with a part {PART}", *upload.media_types, *((JSON_TYPE,) if or_json else ()))
        types = " or ".join(taken)
        raise InvalidRequest(f"Send the file as {types}, and say so in the header Content-Type.")
    most = upload.max_bytes + (_AROUND if is_form else 0)
    if content_length(request) > most:
        raise _too_large(upload)
    if isinstance(request, Request):
        request.bound_body(most)
    try:
        received = _form(request, upload) if is_form else _whole_body(request)
    except RequestDataTooBig:
        raise _too_large(upload) from None
    except UnreadablePostError:
        raise BodyIncomplete from None
    except (MultiPartParserError, SuspiciousOperation):
        raise InvalidRequest(f"The body is not valid {MULTIPART}.") from None
    if any(file.size > upload.max_bytes for file in received.files):
        received.close()
        raise _too_large(upload)
    return received


def _form(request: HttpRequest, upload: Upload) -> Received:
    request.upload_handlers = [TemporaryFileUploadHandler(request)]
    files = []
    for sent in request.FILES.getlist(PART):
        if sent.file is None:  # the handler above opens one for each
            raise TypeError("a file that came has no file")
        sent.file.flush()
        files.append(UploadedFile(sent.file, sent.name or "", sent.size or 0))
    return Received(files, {name: request.POST[name] for name in upload.fields if name in request.POST})


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
