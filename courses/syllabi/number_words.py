"""Numbers and fractions in words."""

from itertools import islice
from typing import Final

FRACTIONS: Final = {
    "half": 50, "third": 100 / 3, "thirds": 100 / 3, "quarter": 25, "quarters": 25, "fourth": 25, "fifth": 20,
    "fifths": 20, "sixth": 100 / 6, "eighth": 12.5, "tenth": 10, "hälfte": 50, "drittel": 100 / 3, "viertel": 25,
    "fünftel": 20, "zehntel": 10, "moitié": 50, "tiers": 100 / 3, "quart": 25, "mitad": 50, "tercio": 100 / 3,
    "cuarto": 25, "quinto": 20,
}  # fmt: skip
_UNITS: Final = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
    " eighteen nineteen"
)
_ONES: Final = {word: number for number, word in enumerate(_UNITS.split(), 1)}
_TENS: Final = "twenty thirty forty fifty sixty seventy eighty ninety"
SPELLED: Final = _ONES | {
    f"{word}{five}": 10 * tens + (5 if five else 0)
    for tens, word in enumerate(_TENS.split(), 2)
    for five in ("", "-five")
}
"""Numbers below twenty, and multiples of five, in English words."""

COUNTS: Final = dict(islice(_ONES.items(), 1, 10)) | {
    "zwei": 2, "drei": 3, "vier": 4, "fünf": 5, "deux": 2, "trois": 3, "quatre": 4, "dos": 2, "tres": 3, "cuatro": 4,
    "cinco": 5,
}  # fmt: skip
"""Number words for a weight per piece."""
