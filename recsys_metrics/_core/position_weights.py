"""How much attention each rank of a list gets."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np

from recsys_metrics._core.checks import check_choice
from recsys_metrics._core.inputs.arrays import FloatArray
from recsys_metrics._core.parameter_domains import Domain, check_number

Attention = Literal["log2", "geometric", "none"]
Patience = Annotated[
    float, Domain("the probability that the next rank is examined too,", above=0, below=1)
]


def attention_at(n_ranks: int, attention: Attention, patience: float = 0.5) -> FloatArray:
    """Return how much attention each rank gets."""
    check_choice("attention", attention, Attention)
    going_on = check_number("patience", patience, Patience)
    if attention == "log2":
        return np.asarray(1.0 / np.log2(np.arange(2.0, n_ranks + 2)))
    # The same chance of going on at every rank; at once with certainty, where all count alike.
    going_on = going_on if attention == "geometric" else 1.0
    return np.asarray(going_on ** np.arange(n_ranks, dtype=np.float64))
