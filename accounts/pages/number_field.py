"""Numbers that members type."""

import re
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from django import forms

_COMMA = re.compile(r"[+-]?\d*,\d+")


class NumberField(forms.DecimalField):
    """A number with a decimal point or a decimal comma, rounded half-up to four decimals.

    Rendered as a text field: in a field of type `number`, browsers drop a comma that they do not expect.
    """

    def __init__(self, *, least: int, most: int, **kwargs: Any) -> None:
        wrong = f"Enter a number from {least} to {most}."
        messages = {"required": wrong, "invalid": wrong, "min_value": wrong, "max_value": wrong}
        super().__init__(
            min_value=least,
            max_value=most,
            error_messages=messages | kwargs.pop("error_messages", {}),
            widget=kwargs.pop("widget", None) or forms.TextInput(attrs={"inputmode": "decimal", "autocomplete": "off"}),
            **kwargs,
        )

    def to_python(self, value: Any) -> Any:
        """Return the number; `87,5` is 87.5."""
        if isinstance(value, str) and _COMMA.fullmatch(value.strip()):
            value = value.replace(",", ".")
        return super().to_python(value)

    def clean(self, value: Any) -> Any:
        """Return the number, checked against its limits before rounding."""
        number = super().clean(value)
        return None if number is None else Decimal(number).quantize(Decimal("0.0001"), ROUND_HALF_UP) + 0
