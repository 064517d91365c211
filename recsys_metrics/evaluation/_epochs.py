"""An evaluation that begins again with each epoch of a training loop."""

from __future__ import annotations

import sys
from collections.abc import Hashable, Iterable
from typing import Any

from recsys_metrics.evaluation._evaluation import Evaluation
from recsys_metrics.evaluation._report import Report
from recsys_metrics.measures import Measure


class EpochEvaluation:
    """An `Evaluation` with `update`, `compute` and `reset`, as metrics of torchmetrics have them.

    Where `torch.distributed` runs, `compute` merges the lists of all processes, so that every
    process gets the values of all users.

    Parameters
    ----------
    measures : iterable of str or Measure
        As in `Evaluation`.
    prefix : str
        What the names in `compute` begin with, such as ``"val/"``.
    **settings
        The other arguments of `Evaluation`: ks, threshold, history, features, catalog, baseline,
        ties, repeats, keep, digests.

    Notes
    -----
    A sampler that pads its share, such as DistributedSampler without ``drop_last``, hands some
    users to two processes. With `users` in `update` that is an error; without, nobody notices.

    References
    ----------
    TorchMetrics, Implementing your own metric.

    Examples
    --------
    >>> from recsys_metrics.evaluation import EpochEvaluation
    >>> metric = EpochEvaluation(["recall@5", "ndcg@5"], prefix="val/")
    >>> metric.update([["A", "B", "C", "D", "E"]], [{"B", "C", "E", "G"}])
    >>> {name: round(value, 3) for name, value in metric.compute().items()}
    {'val/recall@5': 0.75, 'val/ndcg@5': 0.593}
    >>> metric.reset()
    """

    def __init__(
        self, measures: Iterable[str | Measure], *, prefix: str = "", **settings: Any
    ) -> None:
        if not isinstance(prefix, str):
            raise TypeError(f"prefix is what names begin with, a text; got {prefix!r:.60}")
        self.prefix = prefix
        self._empty = Evaluation(measures, **settings)
        self._evaluation = self._empty._renewed()

    def update(
        self, recommended: Any, relevant: Any, *, users: Iterable[Hashable] | None = None
    ) -> None:
        """Add a batch of lists, tensors among others, as `Evaluation.update` does.

        Parameters
        ----------
        recommended, relevant
            As in `evaluate`, of the users of this batch.
        users : (n,) sequence, array or tensor, optional
            Whose list each is.

        Raises
        ------
        ValueError, TypeError
            As in `Evaluation.update`; then nothing of the batch is added.
        """
        self._evaluation.update(recommended, relevant, users=users)

    def compute(self) -> dict[str, float]:
        """Return the value of each metric over all lists since the last reset, by its name.

        Returns
        -------
        dict
            For `log_dict` of Lightning and other loggers.

        Raises
        ------
        ValueError
            If there was no list.
        """
        results = self.report().results
        return {
            f"{self.prefix}{measure.label}": result.value for measure, result in results.items()
        }

    def report(self, *, name: str = "") -> Report:
        """Return the report on all lists since the last reset, with intervals and protocol.

        Parameters
        ----------
        name : str
            What is evaluated.

        Raises
        ------
        ValueError
            If there was no list.
        """
        together = self._empty._renewed()
        for state in _of_all_processes(self._evaluation._kept):
            together._kept.add(state)
        return together.report(name=name)

    def reset(self) -> None:
        """Forget all lists, as at the start of an epoch."""
        self._evaluation = self._empty._renewed()

    def __repr__(self) -> str:
        return f"Epoch{self._evaluation!r}"


def _of_all_processes(state: Any) -> list[Any]:
    """Return what each process of a distributed run kept; of any other run, what this one did."""
    # A program that runs in several processes of torch has imported it.
    distributed = getattr(sys.modules.get("torch"), "distributed", None)
    if distributed is None or not distributed.is_available() or not distributed.is_initialized():
        return [state]
    states: list[Any] = [None] * distributed.get_world_size()
    distributed.all_gather_object(states, state)
    return states
