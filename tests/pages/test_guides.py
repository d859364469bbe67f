"""The guides as pages: the same markdown, with every link working."""

import json
import re
from html.parser import HTMLParser
from urllib.parse import urljoin, urlsplit

import pytest
from django.templatetags.static import static
from django.test import Client

from studyservice.guides.catalog import GUIDES, SECTIONS
from studyservice.guides.markdown import BrokenLinkError, render
from tests import ROOT
from tests.support.cases import each
from tests.support.entry_points import whole

pytestmark = [pytest.mark.database("sqlite", "page layout"), pytest.mark.django_db]

LISTS = ["/docs/guides", "/docs/guides/operators", "/docs/guides/internals"]
ADDRESSES = [*LISTS, "/docs", "/changelog", *(f"/docs/{guide.slug}" for guide in GUIDES)]


class Page(HTMLParser):
    """The links of a page, and their possible targets on it."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.ids: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        self.links |= {found[name] for name in ("href", "src", "data-index") if name in found}
        self.ids += [found["id"]] if "id" in found else []


def page_at(client: Client, address: str) -> Page:
    response = client.get(address)
    assert response.status_code == 200, address
    return Page(response.content.decode())


def test_every_link_of_every_guide_works(client: Client) -> None:
    """It leads to a page and, with a fragment, to an element on it. Pages of members lead to signing in."""
    pages = {address: page_at(client, address) for address in ADDRESSES}
    wrong, answered = [], set()
    for address, page in pages.items():
        for link in page.links:
            there = urlsplit(urljoin(address, link))
            if there.scheme in {"https", "mailto"}:
                continue
            if there.path not in pages and there.path not in answered:
                if whole(client.get(there.path)).status_code not in {200, 302}:
                    wrong.append((address, link))
                answered.add(there.path)
            if there.fragment and there.path in pages and there.fragment not in pages[there.path].ids:
                wrong.append((address, link))
    assert wrong == []
    assert {"/keys", "/openapi.json", "/docs/search.json", "/changelog.atom"} <= answered


def test_an_id_is_unique_on_its_page(client: Client) -> None:
    for address in ADDRESSES:
        ids = page_at(client, address).ids
        assert len(ids) == len(set(ids)), address


def test_every_file_of_the_docs_is_a_guide() -> None:
    sources = {guide.source for guide in GUIDES}
    assert {f"docs/{file.name}" for file in (ROOT / "docs").glob("*.md")} - {"docs/README.md"} <= sources


def test_each_audience_has_an_index(client: Client) -> None:
    """Every guide is in one of the three, and each index links the other two."""
    found = [re.findall(r'<dt><a href="/docs/([\w-]+)">', text(client, address)) for address in LISTS]
    assert sorted(slug for slugs in found for slug in slugs) == sorted(
        [guide.slug for guide in GUIDES] + ["guides"] * 2  # the other indexes link to the first one
    )
    assert found[0][:3] == ["quickstart", "recipes", "clients"]
    assert {"operating", "scaling"} <= set(found[1])
    assert {"architecture", "contributing"} <= set(found[2])
    for address in LISTS:
        others = {other for other in LISTS if f'<dt><a href="{other}">' in text(client, address)}
        assert others == {*LISTS} - {address}
    assert client.get("/docs/guides/nothing").status_code == 404


def test_guides_of_members_and_scripts_need_no_checkout() -> None:
    for section in SECTIONS:
        for guide in section.guides if not section.index_slug else ():
            assert re.findall(r"(?:`|^ {4})make \w+", (ROOT / guide.source).read_text(), re.MULTILINE) == [], (
                guide.source
            )


def test_the_examples_name_this_service(client: Client, settings: object) -> None:
    """In guides whose readers run them. Guides for operators describe a service that does not exist yet."""
    assert "claude mcp add --transport http study-data http://127.0.0.1:8000/mcp" in text(client, "/docs/assistants")
    assert "https://study.example.org" in text(client, "/docs/install-package")
    for section in SECTIONS:
        for guide in section.guides:
            if section.own_origin:
                assert "study.example.org" not in text(client, f"/docs/{guide.slug}"), guide.slug


def text(client: Client, address: str) -> str:
    return client.get(address).content.decode()


def test_clients_learn_how_versions_change(client: Client) -> None:
    """Spec, Versioning 2 and 3."""
    told = " ".join(re.sub(r"<[^>]+>", "", text(client, "/docs/quickstart")).split())
    assert "Within /v1 changes only add" in told
    assert "as /v2, with /v1 beside it for at least six months" in told
    assert "by e-mail to members with active keys" in told


def test_an_unknown_guide_is_not_found(client: Client) -> None:
    assert client.get("/docs/nothing").status_code == 404
    assert client.post("/docs/quickstart").status_code == 405


def test_the_search_finds_a_section(client: Client) -> None:
    found = json.loads(text(client, "/docs/search.json"))
    assert {entry["url"] for entry in found} >= {
        "/docs/errors#limits",
        "/docs/quickstart#polling",
        "/docs/reference/items#list_items",
    }
    [limits] = [entry for entry in found if entry["url"] == "/docs/errors#limits"]
    assert (limits["page"], limits["title"]) == ("Errors, limits, polling", "Limits")
    assert "active API keys of a member" in limits["text"]


@each("link", ["[a](nothing.md)", "![a](../Makefile)", "[a](../Makefile)"])
def test_a_link_to_an_unserved_file_is_refused(link: str) -> None:
    with pytest.raises(BrokenLinkError, match=r"^docs/errors\.md "):
        render(f"# Title\n\n{link}\n", "docs/errors.md")


def test_images_are_static_files() -> None:
    document = render("# Title\n\n![Keys](../studyservice/static/studyservice/icon.svg)\n", "docs/errors.md")
    assert f'<img src="{static("studyservice/icon.svg")}" alt="Keys"' in document.html


def test_adjacent_code_in_several_languages_becomes_tabs() -> None:
    code = "```sh\ncurl <here>\n```\n\n```python\ncall()\n```\n\ntext\n\n```python\nalone()\n```\n"
    html = render(f"# Title\n\n{code}", "docs/errors.md").html
    assert re.findall(r'<input type="radio" name="([^"]+)"[^>]*value="([^"]+)"( checked)?>', html) == [
        ("code-2", "sh", " checked"),
        ("code-2", "python", ""),
    ]
    assert html.count('class="panel"') == 2
    assert "curl &lt;here&gt;" in html


def test_code_that_names_a_served_file_is_a_link() -> None:
    html = render(
        "# Title\n\nSee `/keys`, `docs/grades.md`, `/v1/me` and [`/docs`](oauth.md).\n", "docs/errors.md"
    ).html
    assert re.findall('<a href="([^"]+)"', html) == ["/keys", "/docs/grades", "/docs/oauth"]


def test_html_in_a_file_is_text() -> None:
    assert "<script" not in render("# Title\n\n<script>alert(1)</script>\n", "docs/errors.md").html
