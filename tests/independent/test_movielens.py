"""What the chapters print of MovieLens, recomputed without the package, to the printed digit."""

from __future__ import annotations

import math
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from functools import cache
from pathlib import Path

import nbformat
import pytest

from tests.independent import plain
from tests.independent.plain import mean

CHAPTERS = Path(__file__).resolve().parents[2] / "chapters"
MODELS = ("random", "popularity", "item kNN", "EASE")
# How the chapters call the measures of `plain`.
TITLES = {
    "ndcg": "NDCG@10",
    "recall": "recall@10",
    "precision": "precision@10",
    "average_precision": "MAP@10",
    "reciprocal_rank": "MRR@10",
    "hit_rate": "hit rate@10",
}
PAIRS = [("EASE", "item kNN"), ("item kNN", "popularity"), ("EASE", "popularity")]


@cache
def read_printed(chapter):
    """Return the lines that the parts of a chapter printed, with single spaces."""
    texts = [
        output.get("text", "") or output.get("data", {}).get("text/plain", "")
        for part in sorted(CHAPTERS.glob(f"{chapter}*.ipynb"))
        for cell in nbformat.read(part, as_version=4).cells
        for output in cell.get("outputs", [])
    ]
    return [" ".join(line.split()) for text in texts for line in text.splitlines()]


def fmt(value):
    return f"{value:,}" if isinstance(value, int) else f"{value:z,.3f}"


def format_row(name, *values):
    return " ".join([name, *map(fmt, values)])


def format_interval(middle, low, high, *_):
    return f"{middle:z.3f} [{low:z.3f}, {high:z.3f}]"


@pytest.fixture(scope="module")
def data():
    return plain.MovieLens()


@pytest.fixture(scope="module")
def run(data):
    return plain.Experiment(data)


@pytest.fixture(scope="module")
def lists(run):
    return {name: run.lists(scores) for name, scores in run.scores.items()}


@pytest.fixture(scope="module")
def values(run, lists):
    """Return each user's value of each measure, by measure and model."""
    return {
        name: {
            model: [measure(*both) for both in zip(recommended, run.wanted, strict=True)]
            for model, recommended in lists.items()
        }
        for name, measure in plain.MEASURES.items()
    }


@pytest.fixture(scope="module")
def count_ratings(run):
    """Return how many users rated each film before the cut."""
    count = Counter(film for _, film, *_ in run.train)
    return [count[film] for film in range(run.n_films)]


def test_these_files_do_not_import_the_package():
    for file in Path(__file__).parent.glob("*.py"):
        names = re.findall(r"^ *(?:from|import) +(\S+)", file.read_text("utf-8"), re.MULTILINE)
        assert [name for name in names if name.startswith("recsys")] == []


def test_the_split_of_movielens(run):
    tested = {user for user, *_ in run.hidden}
    told = read_printed("01_rating_movielens")
    assert format_row("training ratings", len(run.train)) in told
    assert format_row("held-out ratings", len(run.hidden)) in told
    assert format_row("users with held-out ratings", len(tested)) in told
    assert f"({len(tested)}, {len(run.users)})" in read_printed("02_ranking")
    assert format_row("known ratings", mean(map(len, run.seen))) in read_printed("02_ranking")
    assert format_row("relevant films", mean(map(len, run.wanted))) in read_printed("02_ranking")


# Ratings ------------------------------------------------------------------------------------------


def deviations(rows, shrunk):
    """Return the mean of each group of rows, held towards 0 by so many zeros."""
    total, count = Counter(), Counter()
    for group, value in rows:
        total[group] += value
        count[group] += 1
    return {group: total[group] / (count[group] + shrunk) for group in count}


def errors(run, added):
    """Return the errors of three predictors, and how often each film was rated."""
    overall = mean(stars for *_, stars, _ in run.train)
    film = deviations([(f, s - overall) for _, f, s, _ in run.train], added)
    habit = [(u, s - overall - film.get(f, 0.0)) for u, f, s, _ in run.known]
    person = deviations(habit, added)
    by_film = [overall + film.get(f, 0.0) for _, f, *_ in run.hidden]
    by_both = [p + person.get(u, 0.0) for p, (u, *_) in zip(by_film, run.hidden, strict=True)]
    guesses = {"one number": [overall] * len(run.hidden), "film": by_film, "both": by_both}
    return {
        name: [p - stars for p, (*_, stars, _) in zip(guess, run.hidden, strict=True)]
        for name, guess in guesses.items()
    }


def test_errors_of_predicted_ratings(run):
    off = errors(run, added=5).values()
    told = read_printed("01_rating_movielens")
    assert format_row("MAE", *(mean(map(abs, each)) for each in off)) in told
    assert format_row("RMSE", *(math.sqrt(mean(e * e for e in each)) for each in off)) in told
    middles = [plain.median(map(abs, each)) for each in off]
    assert format_row("median error", *middles) in told
    stars = [stars for *_, stars, _ in run.hidden]
    around = mean((s - mean(stars)) ** 2 for s in stars)
    assert format_row("R²", *(1 - mean(e * e for e in each) / around for each in off)) in told


def test_rmse_of_the_bias_model_without_damping(run):
    both = errors(run, added=0)["both"]
    start = format_row("bias model, ties by id", math.sqrt(mean(e * e for e in both)))
    assert any(line.startswith(f"{start} ") for line in read_printed("07_choosing"))


# Lists --------------------------------------------------------------------------------------------


def test_six_metrics_of_four_models(values):
    for name, of_models in values.items():
        line = format_row(TITLES[name], *(mean(of_models[model]) for model in MODELS))
        assert line in read_printed("02_ranking")


def test_median_ranks_of_relevant_films(run):
    for model, scores in run.scores.items():
        ranks = []
        for of_user, seen, wanted in zip(scores, run.seen, run.wanted, strict=True):
            left = sorted(-score for film, score in enumerate(of_user) if film not in seen)
            # Of equal scores the loved film is counted last.
            ranks += [bisect_right(left, -of_user[film]) for film in wanted]
        assert format_row(model, int(plain.median(ranks))) in read_printed("02_ranking")


def test_share_of_users_without_a_hit(values):
    for model in MODELS:
        none = mean(float(value == 0) for value in values["ndcg"][model])
        assert format_row(model, none) in read_printed("02_ranking")


def test_ndcg_of_recent_popularity(run, data):
    inside = plain.Experiment(data, rows=run.train)

    def found(there, years):
        recommended = there.lists(there.popularity(days=365 * years))
        return mean(plain.ndcg(*both) for both in zip(recommended, there.wanted, strict=True))

    for years in (1, 2, 3, 4, 5, 7, 10, 30):
        line = format_row(str(years), found(inside, years), found(run, years))
        assert line in read_printed("02_ranking")


def test_gains_and_their_intervals(values):
    told = [line for line in read_printed("02_ranking") if "[" in line]
    for new, old in PAIRS[:2]:
        found = format_interval(*plain.paired(values["ndcg"][new], values["ndcg"][old]))
        assert any(found in line and new in line and old in line for line in told), found
    for name, of_models in values.items():
        test = plain.paired_hits if name == "hit_rate" else plain.paired
        found = format_interval(*test(of_models["item kNN"], of_models["popularity"]))
        assert any(found in line and TITLES[name] in line for line in told), (name, found)


def test_two_windows_of_popularity_on_the_test_set(run):
    two, five = (
        [
            plain.ndcg(*both)
            for both in zip(run.lists(run.popularity(days=365 * years)), run.wanted, strict=True)
        ]
        for years in (2, 5)
    )
    line = f"two years - five years (NDCG@10, test): {format_interval(*plain.paired(two, five))}"
    assert any(each.startswith(line) for each in read_printed("04_protocol"))


def test_tests_of_one_difference_in_the_protocol_chapter(values):
    new, old = values["ndcg"]["EASE"], values["ndcg"]["item kNN"]
    *ends, p = plain.paired(new, old)
    told = read_printed("04_protocol_movielens")
    assert any(format_interval(*ends) in line for line in told)
    assert any(line.startswith("paired t 145 ") and line.endswith(fmt(p)) for line in told)
    six = [plain.paired(of["EASE"], of["item kNN"])[3] for of in values.values()]
    order = sorted(range(6), key=six.__getitem__)
    adjusted, highest = {}, 0.0
    for place, number in enumerate(order):
        highest = max(highest, min(1.0, (6 - place) * six[number]))
        adjusted[number] = highest
    for number, name in enumerate(values):
        words = name.replace("_", " ").replace("ndcg", "NDCG")
        assert format_row(words, six[number], adjusted[number]) in told


# Beyond accuracy ----------------------------------------------------------------------------------


def test_metrics_beyond_accuracy_of_four_models(run, lists, count_ratings, data):
    users = len({user for user, *_ in run.train})

    def bits(recommended):
        return mean(-math.log2(max(count_ratings[film], 1) / users) for film in recommended)

    profile = {
        "coverage": lambda lists: (
            len({f for recommended in lists for f in recommended}) / run.n_films
        ),
        "Gini": lambda lists: plain.gini(plain.shown(lists, run.n_films)),
        "novelty, bits": lambda lists: mean(map(bits, lists)),
        "diversity": lambda lists: mean(plain.diversity(s, data.genres) for s in lists),
        "personalization": plain.personalization,
    }
    for name, of in profile.items():
        assert format_row(name, *(of(lists[model]) for model in MODELS)) in read_printed(
            "03_beyond_accuracy_movielens"
        )


def test_popularity_of_recommended_films(run, lists, count_ratings):
    # The head: the most popular films until they hold a fifth of all ratings.
    reach, bar = 0, 0
    for count in sorted(count_ratings, reverse=True):
        if reach >= sum(count_ratings) / 5:
            break
        reach, bar = reach + count, count
    usual = mean(mean(count_ratings[film] for film in seen) for seen in run.seen)
    for model, recommended in lists.items():
        arp = mean(mean(count_ratings[film] for film in each) for each in recommended)
        tail = mean(mean(float(count_ratings[film] < bar) for film in each) for each in recommended)
        line = format_row(model, arp, (arp - usual) / usual, tail)
        assert line in read_printed("03_beyond_accuracy_movielens")


def test_serendipity_relative_to_popularity(run, lists):
    found = []
    for model in MODELS:
        rows = zip(lists[model], lists["popularity"], run.wanted, strict=True)
        found.append(mean(len((set(a) & wanted) - set(b)) / 10 for a, b, wanted in rows))
    assert format_row("serendipity", *found) in read_printed("03_beyond_accuracy_movielens")


def test_gini_of_recommended_films(run, lists):
    likes = Counter(film for _, film, *_ in run.past)
    uneven = plain.gini([likes[film] for film in range(run.n_films)])
    assert format_row("likes in training", uneven) in read_printed("06_bias")
    for model in MODELS:
        line = format_row(model, plain.gini(plain.shown(lists[model], run.n_films)))
        assert line in read_printed("06_bias")


# The launch -------------------------------------------------------------------------------------


def test_ndcg_and_coverage_in_the_choosing_chapter(run, lists, values):
    for model in MODELS:
        shown = {film for recommended in lists[model] for film in recommended}
        line = format_row(model, mean(values["ndcg"][model]), len(shown) / run.n_films)
        assert line in read_printed("07_choosing")


def test_metrics_of_the_first_launch(run):
    stars, count = Counter(), Counter()
    for _, film, given, _ in run.train:
        stars[film] += given
        count[film] += 1
    tied = {film for film in count if stars[film] == 5 * count[film]}
    told = read_printed("07_choosing")
    # Ten lots for each of 145 people: every tied film is shown to somebody, and no other one.
    covered = fmt(len(tied) / run.n_films)
    assert any(line.startswith(f"coverage@10 {covered} ") for line in told)
    # The hits that lots bring on average are less than one, of all people together.
    expected = sum(
        10 * len((tied & wanted) - seen) / len(tied - seen)
        for wanted, seen in zip(run.wanted, run.seen, strict=True)
    )
    assert 0 < expected < 1
    assert any(line.startswith("ndcg@10 0.000 0.140 -0.140 ") for line in told)


# Probabilities ------------------------------------------------------------------------------------


def log_odds(p):
    return math.log(p / (1 - p))


def sigmoid(x):
    return 1 / (1 + math.exp(-x))


def promises(data):
    """Return, in the order of time, whether each rating was a like and what the model said."""
    order = sorted(range(len(data.rows)), key=lambda place: data.rows[place][3])
    rows = [data.rows[place] for place in order]
    y = [stars >= 4 for *_, stars, _ in rows]
    base = mean(map(float, y[: len(y) * 6 // 10]))
    said, so_far = [], Counter()
    for (user, film, *_), like in zip(rows, y, strict=True):
        total = log_odds(base)
        for who in (("user", user), ("film", film)):
            rate = (so_far[who, "likes"] + base) / (so_far[who, "rated"] + 1)
            total += log_odds(rate) - log_odds(base)
            so_far[who, "likes"] += like
            so_far[who, "rated"] += 1
        # Both are counted after both were read: a rating is of one user and of one film.
        said.append(sigmoid(total))
    return y, said


def platt(said, y):
    """Return slope and offset over log-odds of the highest likelihood, by Newton's steps."""
    x, (a, b) = [log_odds(p) for p in said], (1.0, 0.0)
    for _ in range(8):
        p = [sigmoid(a * each + b) for each in x]
        off = [one - like for one, like in zip(p, y, strict=True)]
        w = [one * (1 - one) for one in p]
        g = (math.fsum(o * e for o, e in zip(off, x, strict=True)), math.fsum(off))
        h = [math.fsum(v * e**n for v, e in zip(w, x, strict=True)) for n in (2, 1, 0)]
        det = h[0] * h[2] - h[1] ** 2
        a -= (h[2] * g[0] - h[1] * g[1]) / det
        b -= (h[0] * g[1] - h[1] * g[0]) / det
    return [sigmoid(a * each + b) for each in x], (a, b)


def score_probabilities(y, p):
    """Return log loss, Brier score, ECE of ten bins, and AUC."""
    pairs = list(zip(p, y, strict=True))
    gaps, places, rank = [0.0] * 10, Counter(p), {}
    for said, like in pairs:
        gaps[min(int(said * 10), 9)] += said - like
    first = 0
    for said in sorted(places):
        rank[said] = first + (places[said] + 1) / 2
        first += places[said]
    likes = sum(y)
    above = math.fsum(rank[said] for said, like in pairs if like) - likes * (likes + 1) / 2
    return (
        mean(-math.log(said if like else 1 - said) for said, like in pairs),
        mean((said - like) ** 2 for said, like in pairs),
        math.fsum(map(abs, gaps)) / len(y),
        above / likes / (len(y) - likes),
    )


def test_calibration_before_and_after(data):
    y, said = promises(data)
    n = len(y)
    middle, late = slice(n * 6 // 10, n * 8 // 10), slice(n * 8 // 10, n)
    _, (a, b) = platt(said[middle], y[middle])
    after = [sigmoid(a * log_odds(p) + b) for p in said[late]]
    told = read_printed("05_calibration_movielens")
    rate = mean(map(float, y[middle]))
    assert format_row("base rate", *score_probabilities(y[late], [rate] * len(after))) in told
    assert format_row("as it is", *score_probabilities(y[late], said[late])) in told
    assert format_row("Platt", *score_probabilities(y[late], after)) in told


# Ranks in a sample --------------------------------------------------------------------------------


def among(run, scores):
    """Return, user by user, how many films stand above each hidden one, and of how many.

    Of equal scores the hidden film is the lower one. The other hidden films are left out.
    """
    for scored, seen, wanted in zip(scores, run.seen, run.wanted, strict=True):
        rivals = sorted(
            score for film, score in enumerate(scored) if film not in seen and film not in wanted
        )
        n = len(rivals)
        yield [(n - bisect_left(rivals, scored[film]), n) for film in sorted(wanted)]


@cache
def chance_of_the_first_ten(above, rivals, drawn):
    """Of so many drawn without putting back, at most nine come from above."""
    choices = [
        log_choices(above, j) + log_choices(rivals - above, drawn - j)
        for j in range(10)
        if j <= above and drawn - j <= rivals - above
    ]
    every = log_choices(rivals, drawn)
    return sum(math.exp(each - every) for each in choices)


def log_choices(n, k):
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


@pytest.fixture(scope="module")
def standings(run):
    return {name: [*among(run, run.scores[name])] for name in ("EASE", "item kNN")}


def test_full_ranks_of_test_items(standings):
    films = [rivals for user in standings["EASE"] for _, rivals in user]
    line = (
        f"Ranks({len(films):,} held-out items against the whole catalogue of up to "
        f"{max(films) + 1:,} items)"
    )
    assert line in read_printed("04_protocol")


@pytest.mark.parametrize("drawn", [50, 1000])
def test_expected_sampled_metrics(standings, drawn):
    shares = {
        name: [mean([chance_of_the_first_ten(*film, drawn) for film in user]) for user in users]
        for name, users in standings.items()
    }
    told = format_interval(*plain.paired(shares["EASE"], shares["item kNN"]))
    assert any(
        f"EASE - item kNN (among {drawn:,}): {told}," in line
        for line in read_printed("04_protocol")
    )


def test_sampled_metrics_are_near_their_expectation(standings):
    for name, users in standings.items():
        whole = [mean([float(above < 10) for above, _ in user]) for user in users]
        (share,) = (
            found[1]
            for line in read_printed("04_protocol")
            if (found := re.fullmatch(rf"{name} {mean(whole):.3f} (0\.\d{{3}})", line))
        )
        chances = [[chance_of_the_first_ten(*film, 50) for film in user] for user in users]
        spread = sum(sum(p * (1 - p) for p in user) / len(user) ** 2 for user in chances)
        off = abs(float(share) - mean([mean(user) for user in chances]))
        assert off < 4 * math.sqrt(spread) / len(users) + 5e-4


def test_bootstrap_over_users_and_films(run, lists):
    leads = Counter()
    for place, wanted in enumerate(run.wanted):
        for name, sign in (("EASE", 1), ("item kNN", -1)):
            leads.update({(place, film): sign for film in lists[name][place] if film in wanted})
    n_users, n_films, n = len(run.users), run.n_films, 1_000
    cells = [(place, film, lead) for (place, film), lead in leads.items() if lead]
    whole = sum(lead for *_, lead in cells) / n_users
    assert f"{whole:.3f}" in read_printed("04_protocol_movielens")
    rng, drawn = plain.np.random.default_rng(21), {"users": [], "films": [], "both": []}
    for _ in range(n):
        users = Counter(rng.integers(n_users, size=n_users).tolist())
        films = Counter(rng.integers(n_films, size=n_films).tolist())
        drawn["users"].append(sum(users[u] * lead for u, _, lead in cells) / n_users)
        drawn["films"].append(sum(films[f] * lead for _, f, lead in cells) / n_users)
        drawn["both"].append(sum(users[u] * films[f] * lead for u, f, lead in cells) / n_users)
    # What is printed comes from two thousand others.
    off = 4 * math.sqrt(0.025 * 0.975 * (1 / n + 1 / 2_000))
    for name, values in drawn.items():
        (ends,) = (
            [float(end) for end in found.groups()]
            for line in read_printed("04_protocol_movielens")
            if (found := re.fullmatch(rf"{name} (-?0\.\d{{3}}) (0\.\d{{3}})", line))
        )
        for end, share in zip(ends, (0.025, 0.975), strict=True):
            low, high = plain.np.quantile(values, [max(share - off, 0), min(share + off, 1)])
            assert low - 1e-3 <= end <= high + 1e-3
