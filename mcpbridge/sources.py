"""The source of each id that tools accept: `list_courses` of `course_id`, unless this module names another."""

from collections.abc import Iterable

_LIST = "list_"
_OTHERS = {
    "category_id": "get_grades",
    "score_id": "get_grades",
    "deck_id": "list_vocab_decks",
    "card_id": "list_vocab_decks",
}


def sources_of(tools: Iterable[str]) -> dict[str, str]:
    """Return the reading tool that is the best source of each id, by argument.

    Args:
        tools: the names of all tools.
    """
    listing = {f"{name.removeprefix(_LIST).removesuffix('s')}_id": name for name in tools if name.startswith(_LIST)}
    return listing | _OTHERS
