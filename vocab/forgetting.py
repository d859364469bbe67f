"""The forgetting curve, with the parameters of the `fsrs` package."""

import fsrs

_DEFAULTS = fsrs.Scheduler(enable_fuzzing=False)

FORGETTING_DECAY = -_DEFAULTS.parameters[20]
"""Of the curve on which a card is forgotten: after so many `days` it is recalled with the likelihood
`(1 + FORGETTING_FACTOR * days / stability) ** FORGETTING_DECAY`."""

FORGETTING_FACTOR = 0.9 ** (1 / FORGETTING_DECAY) - 1
"""Such that stability is the number of days after which that is 0.9."""

LEAST_STABILITY, MOST_STABILITY = 0.001, 1_000_000
"""Days. The package makes no less (its `STABILITY_MIN`), and cannot calculate with far more."""
