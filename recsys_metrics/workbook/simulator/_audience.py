"""Users whose clicks are seen at once, and of whom only time shows whether they stay."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsys_metrics._core.checks import Seed, generator

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclass(frozen=True)
class Change:
    """What a treatment truly does to the users who have it.

    Attributes
    ----------
    clicks : float
        What it adds to the log-odds of a click on a film that is offered.
    finishes : float
        What it adds to the log-odds that a film that was clicked is watched to the end.
    leaving : float
        What it takes from the probability of coming back, whatever was watched.
    """

    clicks: float = 0.0
    finishes: float = 0.0
    leaving: float = 0.0


@dataclass(frozen=True, eq=False)
class AudienceLog:
    """What was logged of each user.

    Attributes
    ----------
    treated : (n,) array of bool
    clicks, finished : (n,) array of int
        Films that were clicked, and watched to the end, in the two weeks of the experiment.
    returned : (n,) array of int
        1 if the user came back after three months.
    """

    treated: NDArray[np.bool_]
    clicks: IntArray
    finished: IntArray
    returned: IntArray

    @property
    def surrogates(self) -> IntArray:
        """What is known after two weeks: clicks and finished films, a row for each user."""
        return np.stack([self.clicks, self.finished], axis=1)

    def groups(self, values: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the values of those without the treatment, and of those with it."""
        return values[~self.treated], values[self.treated]


@dataclass(frozen=True)
class Audience:
    """Users who differ in how much they like films.

    The probability of coming back is linear in the films that were finished and in those that were
    given up, so that clicks and finished films together are a surrogate of it, unless a treatment
    makes users leave for another reason.

    Attributes
    ----------
    n_users : int
    offered : int
        Films offered to each user in two weeks.
    click, finish : float
        Log-odds of a click, and of watching to the end, for a user in the middle.
    taste : float
        Standard deviation, in log-odds, of what users differ by.
    base, finished, given_up : float
        The probability of coming back without a click, and what each film adds to it.

    Examples
    --------
    >>> from recsys_metrics.workbook.simulator import Audience, Change
    >>> audience = Audience()
    >>> round(audience.true_gain(Change(clicks=0.5)), 3)
    0.021
    """

    n_users: int = 20_000
    offered: int = 10
    click: float = -0.4
    finish: float = 0.4
    taste: float = 0.5
    base: float = 0.45
    finished: float = 0.05
    given_up: float = -0.03

    def experiment(
        self, change: Change | None = None, *, share: float = 0.5, seed: Seed = 0
    ) -> AudienceLog:
        """Draw what a split of the users leaves in the log.

        Parameters
        ----------
        change : Change, optional
            By default none: an A/A test, or the past.
        share : float
            With which chance a user gets the treatment.
        seed : int or numpy Generator
        """
        rng = generator(seed)
        change = change or Change()
        treated = rng.random(self.n_users) < share
        taste = rng.normal(0, self.taste, self.n_users)
        click, finish = self._chances(taste, change, treated)
        clicks = rng.binomial(self.offered, click)
        finished = rng.binomial(clicks, finish)
        comes = self._returns(clicks, finished) - change.leaving * treated
        returned = (rng.random(self.n_users) < comes).astype(np.int64)
        return AudienceLog(treated, clicks, finished, returned)

    def true_gain(self, change: Change) -> float:
        """Return how much the treatment truly adds to the share of users who come back."""
        nodes, weights = np.polynomial.hermite_e.hermegauss(60)
        expected = []
        for treated in (False, True):
            click, finish = self._chances(self.taste * nodes, change, np.full(len(nodes), treated))
            of_taste = self._returns(self.offered * click, self.offered * click * finish)
            expected.append(float(weights @ of_taste / weights.sum()))
        return expected[1] - expected[0] - change.leaving

    def _chances(
        self, taste: FloatArray, change: Change, treated: NDArray[np.bool_]
    ) -> tuple[FloatArray, FloatArray]:
        """Return the probabilities of a click, and of watching what was clicked to the end."""
        click = self.click + taste + change.clicks * treated
        finish = self.finish + taste + change.finishes * treated
        return 1 / (1 + np.exp(-click)), 1 / (1 + np.exp(-finish))

    def _returns(self, clicks: NDArray[Any], finished: NDArray[Any]) -> FloatArray:
        """Return the probability of coming back."""
        given_up = self.given_up * (clicks - finished)
        return np.asarray(self.base + self.finished * finished + given_up, dtype=np.float64)
