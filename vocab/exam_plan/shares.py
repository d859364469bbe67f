"""Distribute a number of cards over days."""

from collections.abc import Callable


def evenly(cards: int, days: int) -> list[int]:
    """Equal shares, with the remainder on the earliest days: 7 on 3 days are 3, 2, 2."""
    share, more = divmod(cards, days) if days else (0, 0)
    return [share + (day < more) for day in range(days)]


def from_the_last(cards: int, days: int, most: int) -> list[int]:
    """`most` per day from the last day back, or more on each day if they do not fit."""
    if days and most * days < cards:
        most = -(-cards // days)
    shares = [0] * days
    for day in reversed(range(days)):
        shares[day] = min(most, cards)
        cards -= shares[day]
    return shares


def left_of_today(shares: list[int], done: int, share_out: Callable[[int], list[int]]) -> list[int]:
    """The shares of the remaining days, after `done` of the total was done today.

    Args:
        share_out: computes the shares of later days.
    """
    today = max(0, shares[0] - done)
    return [today, *share_out(sum(shares) - done - today)]
