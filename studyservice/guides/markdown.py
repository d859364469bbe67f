"""Render Markdown as HTML that the pages' policy allows: no inline scripts or styles, and links to served pages."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from itertools import groupby
from pathlib import PurePosixPath
from urllib.parse import urlsplit, urlunsplit

from django.conf import settings
from django.templatetags.static import static
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token

from studyservice.guides.catalog import ADDRESSES, EXAMPLE_ORIGIN, NAMED, Guide

STATIC = "studyservice/static/"
"""The directory of the guides' images."""

LANGUAGES = {"sh": "curl", "python": "Python", "ts": "TypeScript"}
"""Labels of tabs for neighboring code blocks, by the fence's language."""

_TABS = "tabs"


class BrokenLinkError(ValueError):
    """A file links to a file that is not served."""


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading below the title.

    Attributes:
        id: its anchor, generated as on well-known Markdown hosts.
        level: 2 for the first below the title.
        text: the plain text below it, up to the next heading.
    """

    id: str
    title: str
    level: int
    text: str


@dataclass(frozen=True, slots=True)
class Document:
    """A rendered file.

    Attributes:
        lead: the plain text between the title and the next heading.
        html: all but the title. Trusted, since the files are our own.
    """

    lead: str
    html: str
    headings: tuple[Heading, ...]


@cache
def document(guide: Guide, *, own_origin: bool) -> Document:
    """Render a guide, when it is first asked for.

    Args:
        guide: the file.
        own_origin: whether to replace the example origin by this service's own.
    """
    text = guide.file.read_text(encoding="utf-8")
    return render(text.replace(EXAMPLE_ORIGIN, settings.BASE_URL) if own_origin else text, guide.source)


def render(text: str, source: str) -> Document:
    """Render the Markdown in `text`, from the file `source`.

    Raises:
        BrokenLinkError: a link or an image refers to a file that is not served.
    """
    parser = MarkdownIt("commonmark", {"html": False}, renderer_cls=_Renderer).enable(["table", "strikethrough"])
    tokens = parser.parse(text)
    [title, *headings] = _name_headings(tokens)
    _unmark_empty_headers(tokens)
    _lead_links(tokens, source)
    body = tokens[3:]  # after the title
    html = str(parser.renderer.render(list(_with_tabs(body)), parser.options, {}))
    return Document(title.text, html, tuple(headings))


def _name_headings(tokens: Sequence[Token]) -> list[Heading]:
    """List all headings including the title, each with a unique anchor."""
    starts = [index for index, token in enumerate(tokens) if token.type == "heading_open"]
    found: list[Heading] = []
    taken: dict[str, int] = {}
    for start, end in zip(starts, [*starts[1:], len(tokens)], strict=True):
        words = _plain(tokens[start + 1])
        anchor = re.sub(r"[^\w\- ]", "", words.lower()).replace(" ", "-")
        again = taken[anchor] = taken.get(anchor, -1) + 1
        anchor = f"{anchor}-{again}" if again else anchor
        tokens[start].attrSet("id", anchor)
        below = " ".join(_plain(token) for token in tokens[start + 3 : end] if token.content)
        found.append(Heading(anchor, words, int(tokens[start].tag[1]), " ".join(below.split())))
    return found


def _unmark_empty_headers(tokens: Sequence[Token]) -> None:
    """Render empty header cells as plain cells."""
    for start, words, end in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if start.type == "th_open" and not words.content:
            start.tag = end.tag = "td"


def _plain(token: Token) -> str:
    """Return the text of an inline token, including code."""
    if token.type != "inline":
        return token.content
    return "".join(" " if child.type.endswith("break") else child.content for child in token.children or [])


def _lead_links(tokens: Sequence[Token], source: str) -> None:
    """Point links to served addresses, and link the names of pages and guides in code."""
    for token in tokens:
        children: list[Token] = []
        inside = False
        for child in token.children or []:
            if child.type == "link_open":
                inside = True
                child.attrs["href"] = _address(str(child.attrs["href"]), source)
            elif child.type == "link_close":
                inside = False
            elif child.type == "image":
                child.attrs["src"] = _image(str(child.attrs["src"]), source)
            elif child.type == "code_inline" and child.content in NAMED and not inside:
                opening = Token("link_open", "a", 1, attrs={"href": NAMED[child.content]})
                children += [opening, child, Token("link_close", "a", -1)]
                continue
            children.append(child)
        token.children = children or None


def _address(link: str, source: str) -> str:
    """Return the served address of a link in `source`."""
    parts = urlsplit(link)
    if parts.scheme or not parts.path:
        return link
    file = _resolved(parts.path, source)
    if file not in ADDRESSES:
        raise BrokenLinkError(f"{source} links to {file}, which is not served.")
    return urlunsplit(("", "", ADDRESSES[file], "", parts.fragment))


def _image(link: str, source: str) -> str:
    file = _resolved(link, source)
    if not file.startswith(STATIC):
        raise BrokenLinkError(f"{source} shows {file}, which is not below {STATIC}.")
    return static(file.removeprefix(STATIC))


def _resolved(path: str, source: str) -> str:
    """Resolve a path in `source` from the root of the repository."""
    parts: list[str] = []
    for part in (PurePosixPath(source).parent / path).parts:
        if part == "..":
            parts.pop()
        else:
            parts.append(part)
    return "/".join(parts)


def _with_tabs(tokens: Sequence[Token]) -> Iterator[Token]:
    """Merge adjacent code blocks in several languages into one token."""
    for is_code, group in groupby(tokens, key=lambda token: token.type == "fence" and token.info in LANGUAGES):
        run = list(group)
        if is_code and len(run) > 1 and len({token.info for token in run}) == len(run):
            yield Token(_TABS, "", 0, children=run, map=run[0].map)
        else:
            yield from run


class _Renderer(RendererHTML):
    """Renders copyable code, scrollable tables, and tabs without scripts."""

    def fence(self, tokens: Sequence[Token], idx: int, *_: object) -> str:
        """Render fenced code."""
        return _copyable(tokens[idx])

    def code_block(self, tokens: Sequence[Token], idx: int, *_: object) -> str:
        """Render indented code."""
        return _copyable(tokens[idx])

    def code_inline(self, tokens: Sequence[Token], idx: int, *_: object) -> str:
        """Let long names break after an underscore or a slash only."""
        words = re.sub(r"(?<=\w)([_/])(?=\w)", r"\1<wbr>", escape(tokens[idx].content))
        return f"<code>{words}</code>"

    def table_open(self, *_: object) -> str:
        """Open a table that scrolls separately, also by keyboard."""
        return '<div class="scroll" tabindex="0" role="group" aria-label="Table"><table>\n'

    def table_close(self, *_: object) -> str:
        """Close the table."""
        return "</table></div>\n"

    def tabs(self, tokens: Sequence[Token], idx: int, *_: object) -> str:
        """Render code in several languages as tabs, with a panel for each."""
        token = tokens[idx]
        name = f"code-{(token.map or [0])[0]}"
        choices, panels = [], []
        for number, code in enumerate(token.children or []):
            key, checked = f"{name}-{code.info}", " checked" if not number else ""
            choices.append(
                f'<input type="radio" name="{name}" id="{key}" value="{code.info}"{checked}>'
                f'<label for="{key}">{LANGUAGES[code.info]}</label>'
            )
            panels.append(f'<div class="panel" data-language="{code.info}">{_copyable(code)}</div>')
        return (
            '<fieldset class="code-tabs"><legend class="unseen">Language of the example</legend>'
            f"{''.join(choices)}{''.join(panels)}</fieldset>\n"
        )


def _copyable(token: Token) -> str:
    label = f"{LANGUAGES.get(token.info, token.info)} code".strip()
    return (
        f'<div class="copyable"><pre tabindex="0" role="group" aria-label="{escape(label)}">'
        f"<code>{escape(token.content.rstrip())}</code></pre>"
        '<button type="button" class="quiet small needs-script" data-copy>'
        f'Copy<span class="unseen"> {escape(label)}</span></button></div>\n'
    )
