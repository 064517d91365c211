"""The capstone's shop in plain Python: the log is written by the package, all else is done here."""

from __future__ import annotations

import csv
import io
import subprocess
import sys
from collections import Counter
from datetime import datetime
from functools import cached_property

from tests.independent.plain import Experiment, films_of

WRITE = (
    "from recsys_metrics.workbook import shop_experiment\n"
    "log = shop_experiment().log\n"
    "for table in (log.impressions, log.catalog, log.customers):\n"
    "    print(','.join(table))\n"
    "    for row in zip(*(values.tolist() for values in table.values())):\n"
    "        print(','.join(map(str, row)))\n"
    "    print()\n"
)
DAY = 24 * 60 * 60
WEEKS, TEST_WEEKS = 20, 4


def read_tables():
    """Return impressions, products and customers: a dictionary for each row."""
    done = subprocess.run([sys.executable, "-c", WRITE], capture_output=True, text=True, check=True)
    return [[*csv.DictReader(io.StringIO(part))] for part in done.stdout.strip().split("\n\n")]


def seconds(text):
    """Return the seconds since the log began."""
    return int((datetime.fromisoformat(text) - datetime(2025, 1, 6)).total_seconds())


class Data:
    """The log with numbers in place of names."""

    def __init__(self, tables):
        self.impressions, products, customers = tables
        place = {row["sku"]: n for n, row in enumerate(products)}
        who = {row["customer"]: n for n, row in enumerate(customers)}
        self.n_users, self.n_films = len(customers), len(products)
        self.genres = [(row["category"],) for row in products]
        self.available = [seconds(row["available"]) for row in products]
        self.segments = [row["segment"] for row in customers]
        for row in self.impressions:
            row["user"], row["item"] = who[row["customer"]], place[row["sku"]]
            row["time"], row["propensity"] = seconds(row["when"]), float(row["propensity"])
            row["clicked"], row["rank"] = int(row["clicked"]), int(row["rank"])


class Shop(Experiment):
    """The split, and the customers who clicked something new in the four weeks after it."""

    def __init__(self, data, weeks_earlier=0):
        self.data, self.n_films = data, data.n_films
        self.cut = (WEEKS - TEST_WEEKS - weeks_earlier) * 7 * DAY
        end = self.cut + TEST_WEEKS * 7 * DAY
        clicks = [
            (row["user"], row["item"], 5, row["time"]) for row in data.impressions if row["clicked"]
        ]
        self.past = [row for row in clicks if row[3] < self.cut]
        self.history = films_of(self.past)
        self.hidden = [
            row
            for row in clicks
            if self.cut <= row[3] < end and row[1] not in self.history.get(row[0], ())
        ]
        wanted = films_of(self.hidden)
        self.users = sorted(wanted)
        self.wanted = [wanted[user] for user in self.users]
        self.seen = [self.history[user] for user in self.users]
        self.sold = [when <= self.cut for when in data.available]

    def popularity(self, weeks=None):
        """Return how many customers clicked each product, of the last weeks alone if asked."""
        since = 0 if weeks is None else self.cut - weeks * 7 * DAY
        pairs = {(user, item) for user, item, _, when in self.past if when >= since}
        count = Counter(item for _, item in pairs)
        return [[float(count[item]) for item in range(self.n_films)]] * len(self.users)

    @cached_property
    def scores(self):
        found = {
            "production baseline": self.popularity(1),
            "random": self.random(),
            "popularity": self.popularity(),
            "item kNN": self.item_knn(neighbours=20),
            "EASE": self.ease(weight=10),
        }
        # Rows that are one object for all users stay that.
        kept = {}

        def only_sold(row):
            if id(row) not in kept:
                pairs = zip(row, self.sold, strict=True)
                kept[id(row)] = [score if sold else float("-inf") for score, sold in pairs]
            return kept[id(row)]

        return {name: [only_sold(row) for row in rows] for name, rows in found.items()}
