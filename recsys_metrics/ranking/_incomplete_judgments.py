"""Average precision where only a sample of what the lists show was judged."""

from __future__ import annotations

from typing import Any

import numpy as np

from recsys_metrics._core.inputs.align import align, read_sets
from recsys_metrics._core.inputs.membership import contained
from recsys_metrics._core.inputs.parse_lists import parse_lists
from recsys_metrics._core.inputs.parse_sets import parse_sets
from recsys_metrics._core.inputs.scalar_or_batch import of_lists
from recsys_metrics.ranking._judging import judged_lists
from recsys_metrics.ranking._per_list import NoRelevant, divide, finish

# trec_eval's: a rank without anything judged above it counts as half relevant.
_EPSILON = 1e-5


@of_lists
def inferred_average_precision(
    recommended: Any,
    relevant: Any,
    unjudged: Any,
    *,
    threshold: float | None = None,
    no_relevant: NoRelevant = "nan",
) -> Any:
    r"""How high is average precision likely to be if only a sample of the pool was judged?

    Parameters
    ----------
    recommended
        What was recommended, best first, as `judge` takes it.
    relevant
        What was judged: for one list a mapping from id to grade, 0 for not relevant; for many
        a sequence of these, or a mapping from user to them.
    unjudged
        The rest of the pool: items that could have been drawn for judging and were not, in the
        same form, as sets of ids.
    threshold : float, optional
        Lowest grade that counts as relevant. By default any grade above 0.
    no_relevant : {"nan", "zero", "one", "raise"}
        Value for a user with nothing relevant; "nan" leaves the user out of `numpy.nanmean`.

    Returns
    -------
    float or (n,) array
        An estimate between 0 and 1: that of the lists' average precision over the relevant
        items of the pool. Where nothing is unjudged, average precision, but for a difference
        of about 0.00001.

    Raises
    ------
    TypeError, ValueError
        As in `judge`; also if an item is both judged and unjudged.

    Notes
    -----
    .. math:: \mathrm{infAP} = \frac{1}{|R|} \sum_{i} [L_i \in R] \Bigl( \frac{1}{i}
              + \frac{|P \cap L_{\le i - 1}|}{i} \cdot \frac{|R \cap L_{\le i - 1}| + \epsilon}
              {|R \cap L_{\le i - 1}| + |N \cap L_{\le i - 1}| + 2 \epsilon} \Bigr)

    where :math:`L_{\le K}` is the first :math:`K` items of the list; :math:`L_i` is the item at
    rank :math:`i`; :math:`R` is the set of relevant items; :math:`N` is the set of items judged not
    relevant; :math:`P` is the pool, the set of items that could have been judged; :math:`\epsilon`
    is a small number, 0.00001.

    This is how trec_eval computes it. What is outside the pool counts as not
    relevant. The estimate supposes that the judged items were drawn from the pool at random; a
    log of clicks is no such sample, since somebody chose what was shown.

    References
    ----------
    Yilmaz and Aslam (2006), Estimating average precision with incomplete and imperfect
    judgments, CIKM.

    Examples
    --------
    Of seven items in the pool four were judged, and A, D and F were not:

    >>> from recsys_metrics import inferred_average_precision
    >>> grades = {"B": 1, "C": 1, "E": 0, "G": 1}
    >>> round(inferred_average_precision(["A", "B", "C", "D", "E"], grades, {"A", "D", "F"}), 3)
    0.583
    """
    lists, known = align(parse_lists(recommended), parse_sets(relevant))
    judged = judged_lists(lists, known, threshold)
    rest = contained(lists, read_sets(unjudged, lists, "unjudged"))
    wanted, rejected = judged._is_relevant[judged._codes], judged._is_rejected[judged._codes]
    twice = rest & (wanted | rejected)
    if twice.any():
        row, rank = (int(at[0]) for at in np.nonzero(twice))
        raise ValueError(
            f"{lists.name(row)}: item {lists.ids.label(int(lists.items[row, rank]))!r} is judged "
            "and unjudged; leave it out of unjudged, or out of relevant"
        )

    def above(which: Any) -> Any:
        return np.cumsum(which, axis=1) - which

    ranks = np.arange(1, wanted.shape[1] + 1)
    share = (above(wanted) + _EPSILON) / (above(wanted | rejected) + 2 * _EPSILON)
    at_hits = 1 / ranks + above(wanted | rejected | rest) / ranks * share
    total = np.where(wanted, at_hits, 0.0).sum(axis=1)
    return finish(judged, divide(total, judged._n_relevant), no_relevant)
