"""Evaluate recommendations with Spark.

    spark-submit dev/examples/spark_evaluate.py RECS TRUTH ndcg@10 recall@10 …

RECS holds user, item, and rank or score; TRUTH user, item, and a grade if there is one. Both may be
files, folders of Parquet or addresses that the cluster reads. Driver and workers need this package
with the extra `frames`, pandas and pyarrow; the page Scale shows how to send them along.
"""

from __future__ import annotations

import sys

from pyspark.sql import DataFrame, SparkSession

from recsys_metrics import frames


def read(session: SparkSession, address: str) -> DataFrame:
    """Return a table; CSV has a header."""
    if address.endswith(".csv"):
        return session.read.csv(address, header=True, inferSchema=True)
    return session.read.parquet(address)


def main(recommendations: str, truth: str, *measures: str) -> None:
    """Print the report."""
    session = SparkSession.builder.appName("recsys-workbook").getOrCreate()
    tables = read(session, recommendations), read(session, truth)
    print(frames.evaluate(*tables, measures or ("ndcg@10", "recall@10"), name=recommendations))
    session.stop()


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
