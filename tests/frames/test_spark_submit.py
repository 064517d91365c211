"""The example is submitted as a user would, here and to workers that have only what is sent."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from tests.frames.engines import java_or_skip
from tests.test_wheel import Elsewhere, asked_for, wheel, wheels
from tests.tiers import installed

__all__ = ["wheel", "wheels"]
ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = "dev/examples/spark_evaluate.py"
ON_THIS_MACHINE = (
    *("--conf", "spark.driver.bindAddress=127.0.0.1"),
    *("--conf", "spark.driver.host=127.0.0.1"),
    *("--conf", "spark.sql.shuffle.partitions=1"),
    *("--conf", "spark.ui.enabled=false"),
)


def write_tables(folder: Path) -> None:
    pl = pytest.importorskip("polars", reason="the extra `frames` is not installed")
    recommendations = pl.DataFrame({"user": [1, 1, 2], "item": [7, 8, 7], "rank": [1, 2, 1]})
    recommendations.write_parquet(folder / "recs.parquet")
    truth = pl.DataFrame({"user": [1, 2], "item": [8, 7]})
    truth.write_csv(folder / "truth.csv")
    truth.write_parquet(folder / "truth.parquet")


def spark_home(folder: Path) -> Path:
    """Lend Spark's files to a home of its own, where a cluster writes what its workers are sent.

    Among the installed packages an unpacked environment would stay, with a copy of the exercises
    that a submission in the sandbox could read.
    """
    import pyspark

    home = folder / "spark"
    home.mkdir(exist_ok=True)
    for path in Path(pyspark.__file__).parent.iterdir():
        if path.name != "work" and not (home / path.name).exists():
            (home / path.name).symlink_to(path)
    return home


def submit(folder: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run Spark's own program with nothing of the clone in sight."""
    home = spark_home(folder)
    hidden = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")
    kept = {name: value for name, value in os.environ.items() if name not in hidden}
    return subprocess.run(
        [str(home / "bin" / "spark-submit"), *ON_THIS_MACHINE, *arguments],
        cwd=folder,
        env={**kept, "SPARK_HOME": str(home), **variables},
        capture_output=True,
        text=True,
        check=False,
    )


@installed
def test_the_example_runs_with_spark_submit(tmp_path):
    java_or_skip()
    write_tables(tmp_path)
    done = submit(
        tmp_path,
        *("--master", "local[1]", str(ROOT / EXAMPLE)),
        *("recs.parquet", "truth.csv", "mrr@2", "recall@2"),
        PYSPARK_PYTHON=sys.executable,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    # The second item of one user and the first of the other.
    assert "mrr" in done.stdout
    assert "0.750" in done.stdout
    assert "recall" in done.stdout


@installed
@pytest.mark.skipif(sys.platform != "linux", reason="an archive of an environment is for Linux")
def test_workers_evaluate_with_the_environment_that_the_page_packs(tmp_path, wheel):
    """The commands of the page in their order; packages are lent in place of a download."""
    java_or_skip()
    write_tables(tmp_path)
    page = (ROOT / "chapters" / "scale.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```\n(python -m venv .*?)```", page, flags=re.DOTALL)
    create, install, pack, spark = re.sub(r"\\\n *", "", block).strip().splitlines()

    *_, name = create.split()
    venv.create(tmp_path / name, symlinks=True)
    workers = Elsewhere(tmp_path, name, copies=True)
    assert install == f'{name}/bin/pip install ".[frames]" pandas pyarrow venv-pack'
    workers.lend(asked_for(wheel, ["spark"]) - {"pyspark", "py4j"})
    workers.install(wheel, "frames")

    program, *arguments = pack.split()
    assert program == f"{name}/bin/venv-pack"
    here = str(Path(sys.executable).parent / "venv-pack")
    # What packs is not packed here, and zipping harder than this only takes longer.
    subprocess.run([here, *arguments, "-q", "--compress-level", "1"], cwd=tmp_path, check=True)

    *variables, program, _, archive, script, recommendations, truth = spark.split()
    assert (program, script) == ("spark-submit", EXAMPLE)
    tables = (str(ROOT / script), recommendations, truth, "mrr@2")
    driver, worker = (text.split("=")[1] for text in variables)
    pythons = {"PYSPARK_DRIVER_PYTHON": str(tmp_path / driver), "PYSPARK_PYTHON": worker}
    # Processes of their own, as on a cluster: they see no package of the driver.
    cluster = ("--master", "local-cluster[1,1,1024]")
    done = submit(tmp_path, *cluster, "--archives", archive, *tables, **pythons)
    assert done.returncode == 0, done.stderr[-2000:]
    assert "0.750" in done.stdout
    assert list((tmp_path / "spark" / "work").glob("app-*/*/environment"))

    bare = tmp_path / "bare"
    venv.create(bare, symlinks=True)
    pythons["PYSPARK_PYTHON"] = str(bare / "bin" / "python")
    done = submit(tmp_path, *cluster, *tables, **pythons)
    assert done.returncode != 0
    assert "The workers need recsys-workbook[frames], pandas and pyarrow" in done.stdout
