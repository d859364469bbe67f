"""Forms of pages, as a browser would send them."""

from html.parser import HTMLParser


class _Fields(HTMLParser):
    """Collects the fields of the form that contains a field with this name."""

    def __init__(self) -> None:
        super().__init__()
        self.forms: list[dict[str, list[str]]] = []
        self._open: dict[str, list[str]] | None = None
        self._select = ""
        self._options: list[tuple[str, bool]] = []
        self._textarea: str | None = None
        self._text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "form":
            self._open = {}
            self.forms.append(self._open)
        elif tag == "input" and given.get("name") and given.get("type") not in {"file", "submit"}:
            if given.get("type") != "checkbox" or "checked" in given:
                default = "on" if given.get("type") == "checkbox" else ""
                self._add(given["name"], given.get("value", default))
        elif tag == "select":
            self._select, self._options = given["name"], []
        elif tag == "option":
            self._options.append((given.get("value", ""), "selected" in given))
        elif tag == "textarea":
            self._textarea, self._text = given["name"], ""

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._open = None
        elif tag == "select":
            chosen = [value for value, selected in self._options if selected] or [self._options[0][0]]
            self._add(self._select, chosen[0])
        elif tag == "textarea" and self._textarea is not None:
            self._add(self._textarea, self._text.removeprefix("\n"))
            self._textarea = None

    def handle_data(self, data: str) -> None:
        if self._textarea is not None:
            self._text += data

    def _add(self, name: str, value: str) -> None:
        if self._open is not None:
            self._open.setdefault(name, []).append(value)


Fields = dict[str, list[str]]
"""Return the fields that a form sends, by name."""


def form_with(name: str, page: str) -> Fields:
    """The form of the page that contains a field with this name, with its initial values."""
    parser = _Fields()
    parser.feed(page)
    [found] = [form for form in parser.forms if name in form]
    return found


def row_of(form: Fields, title: str) -> str:
    """The key of the row with this title in a review table."""
    [found] = [name.removesuffix("-title") for name, values in form.items() if values == [title]]
    return found
