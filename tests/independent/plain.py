"""The running experiment once more, in plain Python: nothing of the package is imported.

Lists, dictionaries and loops, as the chapters' words say it; numpy only for the random numbers and
for the linear algebra of EASE, which is done another way than in the library (by singular values).
"""

from __future__ import annotations

import io
import lzma
import math
from collections import Counter, defaultdict
from functools import cached_property
from itertools import combinations, islice
from pathlib import Path

import numpy as np

DATA = Path(__file__).resolve().parents[2] / "recsys_workbook_content"
K = 10


class MovieLens:
    """The ratings: rows of (user, film, stars, seconds), in the order of the file."""

    def __init__(self) -> None:
        packed = (DATA / "movielens_latest_small.npz.xz").read_bytes()
        columns = np.load(io.BytesIO(lzma.decompress(packed)))
        self.rows = list(
            zip(
                columns["user"].tolist(),
                columns["item"].tolist(),
                (columns["half_stars"] / 2).tolist(),
                columns["timestamp"].tolist(),
                strict=True,
            )
        )
        self.n_users = len(columns["user_ids"])
        self.titles = columns["titles"].tobytes().decode().split("\n")
        self.n_films = len(self.titles)
        names = columns["genres"].tobytes().decode().split("\n")
        self.genres = [tuple(each.split("|")) if each else ("none",) for each in names]


def cut_by_time(rows, share=0.2):
    """Return what trains, what of the rest is known, and what is hidden."""
    moment = sorted(row[3] for row in rows)[len(rows) - int(len(rows) * share) - 1]
    train = [row for row in rows if row[3] <= moment]
    later = defaultdict(list)
    for place, row in enumerate(rows):
        if row[3] > moment:
            later[row[0]].append((row[3], place))
    hidden = set()
    for of_user in later.values():
        n_hidden = max(len(of_user) // 2, 1 if len(of_user) > 1 else 0)
        hidden |= {place for _, place in sorted(of_user)[len(of_user) - n_hidden :]}
    first = [row for n, row in enumerate(rows) if row[3] > moment and n not in hidden]
    return train, first, [rows[place] for place in sorted(hidden)]


def liked(rows):
    return [row for row in rows if row[2] >= 4]


def films_of(rows):
    """Return the films of each user."""
    found = defaultdict(set)
    for user, film, *_ in rows:
        found[user].add(film)
    return found


class Experiment:
    """A cut, four recommenders, and the lists of the people it is tested on."""

    def __init__(self, data, rows=None, share=0.2):
        self.data, self.n_films = data, data.n_films
        self.train, self.first, self.hidden = cut_by_time(rows or data.rows, share)
        self.known = self.train + self.first
        self.past, self.history = liked(self.train), films_of(liked(self.known))
        wanted = films_of(liked(self.hidden))
        self.users = sorted(wanted)
        self.wanted = [wanted[user] for user in self.users]
        rated = films_of(self.known)
        self.seen = [rated[user] for user in self.users]

    def popularity(self, days=None):
        """Return each film's likes, of the last days of training alone if that is asked."""
        since = max(row[3] for row in self.past) - days * 24 * 60 * 60 if days else 0
        count = Counter(film for _, film, _, when in self.past if when > since)
        return [[float(count[film]) for film in range(self.n_films)]] * len(self.users)

    def random(self):
        return [np.random.default_rng([0, u]).random(self.n_films).tolist() for u in self.users]

    def item_knn(self, neighbours=100, shrinkage=10.0):
        """Cosine with shrinkage; each film listens to the films most like it."""
        of_user, of_film = films_of(self.past), defaultdict(list)
        for user, films in of_user.items():
            for film in films:
                of_film[film].append(user)
        norm = {film: math.sqrt(len(users)) for film, users in of_film.items()}
        # What a film says about the films that listen to it.
        says = defaultdict(list)
        for film, users in of_film.items():
            together = Counter()
            for user in users:
                together.update(of_user[user])
            del together[film]
            mine = norm[film]
            near = {o: n / (mine * norm[o] + shrinkage) for o, n in together.items()}
            least = sorted(near.values(), reverse=True)[:neighbours][-1] if near else 0.0
            best = [(-likeness, o) for o, likeness in near.items() if likeness >= least]
            for likeness, other in sorted(best)[:neighbours]:
                says[other].append((film, -likeness))
        scores = []
        for user in self.users:
            row = [0.0] * self.n_films
            for film in sorted(self.history[user]):
                for listener, likeness in says[film]:
                    row[listener] += likeness
            scores.append(row)
        return scores

    def ease(self, weight=200.0):
        """Score by B = I - P diag(1 / diag P), P the inverse of X'X + weight.

        With the eigenvalues w and vectors U of XX', P is (I - X'U (w + weight)^-1 U'X) / weight.
        """
        films = sorted({row[1] for row in self.past})
        column = {film: place for place, film in enumerate(films)}
        table = np.zeros((self.data.n_users, len(films)))
        for user, film, *_ in self.past:
            table[user, column[film]] = 1
        values, vectors = np.linalg.eigh(table @ table.T)
        sides = vectors.T @ table
        shrunk = 1 / (values + weight)
        diagonal = (1 - (shrunk[:, None] * sides**2).sum(axis=0)) / weight
        met = np.zeros((len(self.users), len(films)))
        for place, user in enumerate(self.users):
            met[place, [column[film] for film in self.history[user] if film in column]] = 1
        # A film that nobody liked in training gets no vote, and gives none.
        scores = np.zeros((len(self.users), self.n_films))
        scores[:, films] = met - (met - ((met @ sides.T) * shrunk) @ sides) / weight / diagonal
        # Equal evidence is a tie, as the package says.
        return scores.round(9).tolist()

    @cached_property
    def scores(self):
        return {
            "random": self.random(),
            "popularity": self.popularity(),
            "item kNN": self.item_knn(),
            "EASE": self.ease(),
        }

    def lists(self, scores):
        """Return the ten best films that a user has not rated; of equal ones the lower number."""
        found, before = [], None
        for row, seen in zip(scores, self.seen, strict=True):
            if row is not before:
                # Sorting leaves equal ones in their order.
                order = sorted(range(self.n_films), key=row.__getitem__, reverse=True)
            found.append(list(islice((film for film in order if film not in seen), K)))
            before = row
        return found


# Of one list --------------------------------------------------------------------------------------


def ndcg(recommended, wanted):
    gain = sum(
        1 / math.log2(rank + 1) for rank, film in enumerate(recommended, 1) if film in wanted
    )
    return gain / sum(1 / math.log2(rank + 1) for rank in range(1, min(K, len(wanted)) + 1))


def hits(recommended, wanted):
    return [film in wanted for film in recommended]


def recall(recommended, wanted):
    return sum(hits(recommended, wanted)) / len(wanted)


def precision(recommended, wanted):
    return sum(hits(recommended, wanted)) / K


def average_precision(recommended, wanted):
    found = hits(recommended, wanted)
    return sum(sum(found[:n]) / n for n in range(1, K + 1) if found[n - 1]) / len(wanted)


def reciprocal_rank(recommended, wanted):
    found = hits(recommended, wanted)
    return 1 / (found.index(True) + 1) if any(found) else 0.0


def hit_rate(recommended, wanted):
    return float(any(hits(recommended, wanted)))


MEASURES = {
    each.__name__: each
    for each in (ndcg, recall, precision, average_precision, reciprocal_rank, hit_rate)
}


def diversity(recommended, genres):
    """Return 1 less the mean cosine of the films' genres, over pairs."""

    def cosine(one, other):
        one, other = set(genres[one]), set(genres[other])
        return len(one & other) / math.sqrt(len(one) * len(other))

    pairs = list(combinations(recommended, 2))
    return 1 - sum(cosine(*pair) for pair in pairs) / len(pairs)


# Of all lists -------------------------------------------------------------------------------------


def mean(values):
    values = list(values)
    return math.fsum(values) / len(values)


def gini(counts):
    counts = sorted(counts)
    n, total = len(counts), sum(counts)
    return sum((2 * place - n - 1) * x for place, x in enumerate(counts, 1)) / (n * total)


def shown(lists, n_films):
    count = Counter(film for recommended in lists for film in recommended)
    return [count[film] for film in range(n_films)]


def personalization(lists):
    return 1 - mean(len(set(a) & set(b)) / K for a, b in combinations(lists, 2))


def median(values):
    values = sorted(values)
    half = len(values) // 2
    return values[half] if len(values) % 2 else (values[half - 1] + values[half]) / 2


# How sure a mean gain is --------------------------------------------------------------------------


def t_tail(t, freedom):
    """Return the chance of more than t (above 0), by Simpson's rule."""
    scale = math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2))
    scale /= math.sqrt(freedom * math.pi)
    steps = 2000
    width = t / steps
    heights = [(1 + (n * width) ** 2 / freedom) ** (-(freedom + 1) / 2) for n in range(steps + 1)]
    inside = heights[0] + heights[-1] + 4 * sum(heights[1:-1:2]) + 2 * sum(heights[2:-1:2])
    return 0.5 - scale * inside * width / 3


def root(rises, low, high):
    """Return where a rising function crosses 0, by halving."""
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if rises(middle) > 0 else (middle, high)
    return middle


def paired(new, old):
    """Return mean gain, interval and p of Student's paired test."""
    gains = [b - a for a, b in zip(old, new, strict=True)]
    n, middle = len(gains), mean(gains)
    error = math.sqrt(sum((gain - middle) ** 2 for gain in gains) / (n - 1) / n)
    reach = root(lambda t: 0.025 - t_tail(t, n - 1), 0.0, 10.0) * error
    return middle, middle - reach, middle + reach, 2 * t_tail(abs(middle) / error, n - 1)


def share_ends(some, n):
    """Return Clopper and Pearson's ends of a share."""

    def exactly(j, p):
        ways = math.lgamma(n + 1) - math.lgamma(j + 1) - math.lgamma(n - j + 1)
        return math.exp(ways + j * math.log(p) + (n - j) * math.log1p(-p))

    def at_least(k, p):
        if not 0 < p < 1:
            return float(k == 0 or p == 1)
        if k < n / 2:
            return 1 - sum(exactly(j, p) for j in range(k))
        return sum(exactly(j, p) for j in range(k, n + 1))

    low = root(lambda p: at_least(some, p) - 0.025, 0.0, 1.0) if some else 0.0
    high = root(lambda p: at_least(some + 1, p) - 0.975, 0.0, 1.0) if some < n else 1.0
    return low, high


def paired_hits(new, old):
    """Return mean gain and interval of hits (Newcombe's), and McNemar's exact p."""
    n = len(new)
    up = sum(a > b for a, b in zip(new, old, strict=True))
    down = sum(a < b for a, b in zip(new, old, strict=True))
    u, v = up / n, down / n
    (u_low, u_high), (v_low, v_high) = share_ends(up, n), share_ends(down, n)
    r = -u * v / math.sqrt(u * (1 - u) * v * (1 - v))

    def reach(one, other):
        return math.sqrt(one**2 - 2 * r * one * other + other**2)

    ends = u - v - reach(u - u_low, v_high - v), u - v + reach(u_high - u, v - v_low)
    few, all_ = min(up, down), up + down
    p = min(1.0, 2 * sum(math.comb(all_, k) for k in range(few + 1)) / 2**all_)
    return u - v, *ends, p
