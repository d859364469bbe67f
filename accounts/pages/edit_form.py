"""Forms that edit stored data."""

import re
from collections.abc import Mapping
from typing import Any

from django import forms

_LINE_END = re.compile(r"\r\n?|\n")


class LinesField(forms.CharField):
    """Text of several lines, whose line ends count as one character. Browsers send two."""

    widget = forms.Textarea

    def to_python(self, value: Any) -> Any:
        """Return the text with normalized line ends."""
        return super().to_python(_LINE_END.sub("\n", value) if isinstance(value, str) else value)


class _WithInitial(forms.BoundField):
    """A field with a hidden copy. HTML allows no description for the copy."""

    def build_widget_attrs(self, attrs: Any, widget: forms.Widget | None = None) -> dict[str, Any]:
        built = super().build_widget_attrs(attrs, widget)
        if widget is None or not widget.is_hidden:
            return built
        return {name: value for name, value in built.items() if not name.startswith("aria-")}


class EditForm(forms.Form):
    """Returns only the fields that the member edited, so that concurrent changes by others stay.

    Each field has a hidden one with the value that the page showed. Without it the field counts as edited.

    Args:
        stored: the value of each field.
    """

    use_required_attribute = False
    bound_field_class = _WithInitial

    def __init__(self, data: Any = None, *, stored: Mapping[str, Any], **kwargs: Any) -> None:
        super().__init__(data, initial=dict(stored), **kwargs)
        self.stored = stored
        for field in self.fields.values():
            field.show_hidden_initial = not field.disabled

    def changes(self) -> dict[str, Any]:
        """Return the fields that were edited and differ from the stored values."""
        return {
            name: value
            for name, value in self.cleaned_data.items()
            if self._is_edited(name) and not self._is_stored(name, value)
        }

    def _is_edited(self, name: str) -> bool:
        return self.add_initial_prefix(name) not in self.data or name in self.changed_data

    def _is_stored(self, name: str, value: Any) -> bool:
        """Return whether `value` is the stored one. Browsers may normalize or drop its line ends."""
        stored = self.stored[name]
        if isinstance(stored, str) and isinstance(value, str):
            line_end = "\n" if isinstance(self.fields[name].widget, forms.Textarea) else ""
            return _LINE_END.sub(line_end, stored) == _LINE_END.sub(line_end, value)
        return bool(stored == value)
