"""Render all guides and the changelog into the directory from which they are served."""

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from studyservice.guides.catalog import ADDRESSES, BUILT, CHANGELOG, GUIDES, ROOT, SECTIONS, Guide
from studyservice.guides.markdown import BrokenLinkError, Document, Heading, render

REPOSITORY = Path(__file__).resolve().parent.parent.parent
"""The root of the sources, unless this is an installed package."""

_CHANGELOG = Guide(CHANGELOG, "CHANGELOG.md", "What changed.")


def build(repository: Path = REPOSITORY, built: Path = BUILT) -> int:
    """Write `guides.json` and `search.json` into `built`. Return the number of guides.

    Raises:
        BrokenLinkError: a guide links to a file that is not served, or to a missing heading.
        OSError: a source cannot be read, or the output cannot be written.
    """
    documents = {
        guide.slug: render((repository / guide.source).read_text(encoding="utf-8"), guide.source)
        for guide in (*GUIDES, _CHANGELOG)
    }
    _check_fragments(documents)
    changed_at = datetime.fromtimestamp((repository / _CHANGELOG.source).stat().st_mtime, UTC)
    pages: dict[str, Any] = {slug: _page(document) for slug, document in documents.items()}
    pages[CHANGELOG]["changed_at"] = changed_at.isoformat()
    description = json.loads((repository / "docs" / "openapi.json").read_text(encoding="utf-8"))
    built.mkdir(exist_ok=True)
    _write(built / "guides.json", pages)
    _write(built / "search.json", [*_sections(documents), *_operations(description)])
    return len(GUIDES)


def _page(document: Document) -> dict[str, Any]:
    return {
        "title": document.title,
        "html": document.html,
        "headings": [asdict(heading) | {"text": ""} for heading in document.headings],
    }


def _check_fragments(documents: Mapping[str, Document]) -> None:
    """Check that each link to a heading has a target."""
    anchors: dict[str, set[str]] = {
        ADDRESSES[guide.source]: {heading.id for heading in documents[guide.slug].headings}
        for guide in (*GUIDES, _CHANGELOG)
    }
    for guide in (*GUIDES, _CHANGELOG):
        for address, fragment in documents[guide.slug].links:
            there = anchors.get(address or ADDRESSES[guide.source])
            if fragment and there is not None and fragment not in there:
                raise BrokenLinkError(f"{guide.source} links to {address}#{fragment}, which does not exist.")


def _sections(documents: Mapping[str, Document]) -> Iterator[dict[str, Any]]:
    """Search entries of guides: title, address and text of each heading. Guides for members and scripts rank first."""
    for section in SECTIONS:
        weight = 2 if section.own_origin else 1
        for guide in section.guides:
            document, address = documents[guide.slug], ADDRESSES[guide.source]
            lead = Heading("", "", 1, f"{guide.about} {document.lead}")
            for part in (lead, *document.headings):
                url = f"{address}#{part.id}" if part.id else address
                yield {"page": document.title, "title": part.title, "url": url, "text": part.text, "weight": weight}


def _operations(description: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Yield search entries of the API reference."""
    return [
        {
            "page": "API reference",
            "title": operation["summary"],
            "url": f"{ROOT}/reference/{operation['tags'][0].lower()}#{operation['operationId']}",
            "text": f"{operation['operationId']} {method.upper()} {path} {operation['description']}",
            "weight": 4,  # the exact name of an operation should come first
        }
        for path, methods in description["paths"].items()
        for method, operation in methods.items()
    ]


def _write(file: Path, content: object) -> None:
    """Replace the file atomically, since a server may be reading it."""
    new = file.with_suffix(f".{os.getpid()}")
    new.write_text(json.dumps(content, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")
    new.replace(file)
