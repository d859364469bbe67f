"""The forgetting curve, with the parameters of the `fsrs` package."""

import fsrs

_DEFAULTS = fsrs.Scheduler(enable_fuzzing=False)

FORGETTING_DECAY = -_DEFAULTS.parameters[20]
"""The exponent of the forgetting curve. After so many `days`, a card is recalled with the probability
`(1 + FORGETTING_FACTOR * days / stability) ** FORGETTING_DECAY`.
"""

FORGETTING_FACTOR = 0.9 ** (1 / FORGETTING_DECAY) - 1
"""Chosen so that the probability is 0.9 after `stability` days."""

LEAST_STABILITY, MOST_STABILITY = 0.001, 1_000_000
"""In days. The package's minimum (its `STABILITY_MIN`), and a maximum with which it can still calculate."""
