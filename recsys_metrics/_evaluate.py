"""The one call that evaluates lists, arrays or data frames."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

from numpy.typing import ArrayLike

from recsys_metrics._core.checks import check_mapping
from recsys_metrics._core.inputs.frames import is_frame
from recsys_metrics._core.inputs.lists import Repeats
from recsys_metrics._core.inputs.ties import ListTies
from recsys_metrics._core.package_names import how_to_install
from recsys_metrics.evaluation._evaluation import Evaluation
from recsys_metrics.evaluation._frames_among_lists import (
    read_features,
    read_history,
    read_lists,
    read_relevant,
)
from recsys_metrics.evaluation._prediction_metrics import find_prediction_metric
from recsys_metrics.evaluation._report import Report
from recsys_metrics.measures import Measure
from recsys_metrics.measures._text import list_measures


def evaluate(
    recommended: Any,
    relevant: Any,
    measures: Iterable[str | Measure],
    *,
    users: Iterable[Hashable] | None = None,
    ks: Sequence[int] | None = None,
    threshold: float | None = None,
    history: Any = None,
    history_rows: ArrayLike | None = None,
    features: Any = None,
    catalog: Any = None,
    baseline: Any = None,
    groups: Mapping[str, Any] | None = None,
    sampled: int | None = None,
    candidates: str | None = None,
    split: str | None = None,
    seed: int | str | None = None,
    ties: ListTies = "id",
    repeats: Repeats = "raise",
    columns: Mapping[str, str] | None = None,
    digests: bool = True,
    name: str = "",
) -> Report:
    """How good are these lists by several metrics, and how certain are the values?

    Parameters
    ----------
    recommended, relevant
        What was recommended and what was relevant, in any form that `judge` takes: one list, many
        lists, mappings keyed by user, scores by user and item, or arrays of item numbers with a
        sparse table. Two data frames of any kind (pandas, Polars, PyArrow, DuckDB, Spark) go to
        `frames.evaluate`, which says what they hold; one of them is read into a mapping.
    measures : iterable of str or Measure
        Such as ``"ndcg@10"``, ``"average_precision(denominator=hits)@10"``, ``"coverage@10"``.
    users : sequence of ids, optional
        Whose list each is, where they are an array or a sequence: then what is relevant, a history
        and groups may be keyed by user, and two reports are compared user by user.
    ks : sequence of int, optional
        Cut-offs for every measure that is written without one.
    threshold : float, optional
        Lowest grade that counts as relevant, as in `judge`.
    history : optional
        Earlier interactions, for popularity, novelty, unexpectedness: `Interactions` or a
        sparse users x items table of the training data, a mapping from user to items, or one
        set of items per list.
    history_rows : (n,) array of int, optional
        Which row of such a table belongs to each list. Not needed if lists are keyed by the
        user's number, or the table has one row per list.
    features : optional
        What is known of the items, for diversity and its kin: an (n_items, d) array or sparse
        matrix, a mapping from id to a vector, to a set of categories or to a text such as
        ``"Action|Comedy"``, or a table with columns for the item and its category.
    catalog : int or collection of ids, optional
        What could have been recommended, for coverage and Gini; by default all items of a
        history that comes as a table.
    baseline : optional
        The primitive baseline, for serendipity; by default the most popular items of the history.
    groups : mapping, optional
        Name of each grouping and the group of each user: an array in the order of the lists,
        or a mapping from user to group.
    sampled : int, optional
        Number of other items each relevant one was ranked against, if not the whole catalogue.
    candidates : str, optional
        Which items could be recommended to whom, in your words: "all but what the user has
        interacted with"; printed with the numbers.
    split, seed : str, optional
        How the data were split into training and test set, and the seed of the randomness;
        printed with the numbers.
    ties : {"id", "id-descending", "order"}
        Which of two equal scores comes first where scores came in place of lists, as in `judge`;
        the report then says in how many lists a cut-off falls between two of them.
    repeats : {"raise", "drop", "blank"}
        What becomes of an item that stands in a list once more, or is named again as relevant, as
        in `judge`; the report then says how many there were in the lists. Ranks below the deepest
        cut-off of the metrics are not looked at, so ``ndcg@1`` takes a list that ``ndcg@2``
        refuses.
    columns : mapping, optional
        Which column of a data frame is the user, item, rank, score or grade, where its name does
        not say so.
    digests : bool
        Whether to keep a digest of what is relevant to each user, which `Report.compare` needs to
        see that two reports are of the same truth. Without it `evaluate` takes less time.
    name : str
        What is evaluated.

    Returns
    -------
    Report
        A mapping from measure to result, with `.by(groups)`, `.compare(other)`, `.protocol`,
        `.warnings` and `.to_frame()`.

    Raises
    ------
    ValueError, TypeError
        If a measure cannot be read or lacks what it needs, or the lists cannot be judged; the
        message says what to give.

    Notes
    -----
    Lists are judged once for all measures, down to the largest cut-off among them: ids below it
    are counted, neither looked up nor checked. A user with something relevant and no list counts
    as an empty list, in every measure.

    Examples
    --------
    >>> from recsys_metrics import evaluate
    >>> lists = {"ann": ["A", "B", "C"], "bob": ["B", "C", "D"]}
    >>> wanted = {"ann": {"B", "C"}, "bob": {"D"}}
    >>> seen = {"ann": {"D"}, "bob": {"A"}, "cem": {"A", "B"}}
    >>> report = evaluate(lists, wanted, ["recall@2", "novelty(unseen=one)@2"], history=seen)
    >>> round(report["recall@2"].mean, 3), round(report["novelty(unseen=one)@2"].mean, 3)
    (0.25, 1.335)
    """
    check_mapping("groups", {} if groups is None else groups, "from a name to the users' groups")
    measures = list_measures(measures)
    _refuse_prediction_metrics(measures)
    if is_frame(recommended) or hasattr(type(recommended), "__arrow_c_stream__"):
        nested = _frames()._nested
        recommended, relevant = map(nested.read_stream, (recommended, relevant))
        pair = nested.read_lists(recommended, relevant, columns)
        if pair is not None:
            recommended, relevant = pair
            columns = columns if is_frame(history) or is_frame(features) else None
    if is_frame(recommended) and is_frame(relevant):
        _refuse_with_frames(
            users=users,
            history_rows=history_rows,
            ties=None if ties == "id" else ties,
        )
        report: Report = _frames().evaluate(
            recommended,
            relevant,
            measures,
            ks=ks,
            threshold=threshold,
            history=history,
            features=features,
            catalog=catalog,
            baseline=baseline,
            groups=groups,
            columns=columns,
            repeats=repeats,
            digests=digests,
            sampled=sampled,
            candidates=candidates,
            split=split,
            seed=seed,
            name=name,
        )
        return report
    if columns is not None and not any(map(is_frame, (recommended, relevant, history, features))):
        raise TypeError("columns names those of data frames, but none was given")
    check_mapping("columns", columns or {}, "from a role to the name of a column")
    recommended = read_lists(recommended, columns or {}, ties)
    relevant, n_relevant_repeats = read_relevant(relevant, columns or {}, repeats)
    history = read_history(history, columns or {})
    features = read_features(features, columns or {})
    evaluation = Evaluation(
        measures,
        ks=ks,
        threshold=threshold,
        history=history,
        features=features,
        catalog=catalog,
        baseline=baseline,
        ties=ties,
        repeats=repeats,
        digests=digests,
    )
    evaluation._update(recommended, relevant, users=users, rows=history_rows)
    evaluation._add_relevant_repeats(n_relevant_repeats)
    return evaluation.report(
        groups=groups, sampled=sampled, candidates=candidates, split=split, seed=seed, name=name
    )


def _refuse_prediction_metrics(measures: Sequence[Any]) -> None:
    """Raise an error that names the function for metrics of ratings and probabilities."""
    found = [each for each in measures if find_prediction_metric(each) is not None]
    if found:
        listed = ", ".join(map(repr, found))
        raise ValueError(
            f"{found[0]} is a metric of predicted ratings or probabilities, not of lists; call "
            f"evaluate_predictions(actual, predicted, [{listed}], users=…), which gives them "
            "intervals, groups and comparisons"
        )


def _frames() -> Any:
    """Return the package that reads data frames, which needs narwhals."""
    try:
        import narwhals  # noqa: F401
    except ImportError:
        raise ImportError(
            f"data frames are read with narwhals, which is not installed: "
            f"{how_to_install('frames')}"
        ) from None
    from recsys_metrics import frames
    from recsys_metrics.frames import _nested  # noqa: F401

    return frames


def _refuse_with_frames(**given: Any) -> None:
    """Raise an error if an argument was given that data frames do not take."""
    for name, value in given.items():
        if value is not None:
            raise TypeError(
                f"{name}= is for lists and arrays, and recommended is a data frame; "
                "convert.lists_from_frame and convert.relevant_from_frame make lists of it"
            )
