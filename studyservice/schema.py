"""`/openapi.json` from the operations' own declarations."""

from typing import Any
from uuid import UUID

from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse

from studyservice.operations import Operation


class OperationSchema(AutoSchema):
    """Reads what `@operation` declared."""

    @property
    def _operation(self) -> Operation | None:
        action = getattr(self.view, getattr(self.view, "action", "") or "", None)
        return getattr(action, "operation", None)
