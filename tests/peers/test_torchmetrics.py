"""torchmetrics knows one row of scored items and computes in 32 bits."""

from __future__ import annotations

from importlib.metadata import version

import numpy as np
import pytest

import recsys_metrics as rm
from recsys_metrics import convert
from recsys_metrics.evaluation import EpochEvaluation
from tests.chapters.recipe_code import run_recipe
from tests.peers.cases import agree, are_known, compared, draw

retrieval = pytest.importorskip(
    "torchmetrics.functional.retrieval", reason="torchmetrics is not installed"
)
torch = pytest.importorskip("torch")

NAMES = compared("torchmetrics")


@pytest.mark.parametrize("name", NAMES)
def test_every_metric_agrees(name):
    function, _, option = name.partition("(")
    options = {"adaptive_k": True} if option else {}
    graded = function == "normalized_dcg"

    def ask(row, k):
        target = torch.tensor(row)
        target = target if graded else target > 0
        # Scores of 0 or less would be misses to it.
        scores = torch.arange(len(row), 0, -1, dtype=torch.float32)
        function_of = getattr(retrieval, f"retrieval_{function}")
        cut = {} if k is None else {"top_k": k}
        return function_of(scores, target, **cut, **options)

    def theirs(cases, k):
        return {user: ask(row, k) for user, row in cases.rows.items()}

    agree(
        "torchmetrics",
        version("torchmetrics"),
        name,
        draw(),
        theirs,
        whole=True,
        tolerance=1e-6,
        lacks={"no list"},
        of_rows=function == "r_precision",
    )


def test_fall_out():
    for row in draw(200).rows.values():
        labels = np.array(row) > 0
        scores = torch.arange(len(row), 0, -1, dtype=torch.float32)
        theirs = float(retrieval.retrieval_fall_out(scores, torch.tensor(labels), top_k=3))
        if labels.any() and not labels.all():
            judged = rm.Judged.from_gains(labels.astype(float))
            ours = rm.fall_out(judged, 3, n_items=len(row))
            assert ours == pytest.approx(theirs, abs=1e-6)


def test_public_names_are_in_the_table():
    are_known("torchmetrics", {*retrieval.__all__, "RetrievalRecallAtFixedPrecision"}, {})


def test_tensors_are_read_without_a_copy():
    scores = torch.rand(4, 6, dtype=torch.float64, requires_grad=True)
    found = convert.as_array(scores)
    assert found.ctypes.data == scores.data_ptr()
    assert rm.rank_from_scores(found, 2).shape == (4, 2)
    assert np.shares_memory(np.from_dlpack(scores.detach()), found)


def test_some_metrics_count_scores_of_zero_or_less_as_misses():
    scores, target = torch.tensor([-1.0, -2.0]), torch.tensor([True, False])
    assert float(retrieval.retrieval_recall(scores, target, top_k=1)) == 0
    assert float(retrieval.retrieval_hit_rate(scores, target, top_k=1)) == 1


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_the_recipe_of_a_loop(dtype):
    data = pytest.importorskip("torch.utils.data")
    generator = torch.Generator().manual_seed(0)
    scores = torch.rand(50, 30, generator=generator, dtype=dtype)
    scores[:, ::7] = -torch.inf  # as items that the user has seen
    held_out = torch.full((50, 4), -1)
    for user in range(50):
        held_out[user, : 1 + user % 4] = torch.randperm(30, generator=generator)[: 1 + user % 4]
    columns = data.TensorDataset(torch.arange(50), scores, held_out)
    known = {"rm": rm, "loader": data.DataLoader(columns, batch_size=16), "n_items": 30}
    found = run_recipe("torch loop", known)
    best = scores.topk(10).indices.tolist()
    truths = [{item for item in row if item >= 0} for row in held_out.tolist()]
    together = rm.evaluate(best, truths, ["ndcg@10", "coverage@10"], catalog=30)
    assert found.value == together["ndcg@10"].value
    assert found.n == 50
    report = known["evaluation"].report()
    assert report["coverage@10"].value == together["coverage@10"].value


def batches(n_users, k=10, n_items=30):
    """Return lists and held-out items of users, the same in every process."""
    generator = torch.Generator().manual_seed(1)
    scores = torch.rand(n_users, n_items, generator=generator)
    held_out = torch.stack([torch.randperm(n_items, generator=generator)[:3] for _ in scores])
    return scores.topk(k).indices, held_out


def test_an_epoch_has_the_form_of_their_metrics():
    base = pytest.importorskip("torchmetrics")
    ours = EpochEvaluation(["hit_rate@10"], prefix="val_")
    theirs = base.retrieval.RetrievalHitRate(top_k=10)
    best, held_out = batches(40)
    for rows in torch.arange(40).split(16):
        ours.update(best[rows], held_out[rows], users=rows)
        for user in rows.tolist():
            hits = torch.isin(best[user], held_out[user])
            theirs.update(torch.arange(10, 0, -1.0), hits, torch.full((10,), user))
    (value,) = ours.compute().values()
    assert value == pytest.approx(float(theirs.compute()), abs=1e-6)
    for metric in (ours, theirs):
        metric.reset()
    with pytest.raises(ValueError, match="there is no list to evaluate"):
        ours.compute()


def run_process(rank, address, n_processes, folder):
    import torch.distributed as distributed

    distributed.init_process_group("gloo", f"file://{address}", rank=rank, world_size=n_processes)
    best, held_out = batches(41)
    metric = EpochEvaluation(["ndcg@10", "catalog_coverage@10"], catalog=30)
    rows = torch.arange(rank, 41, n_processes)
    metric.update(best[rows], held_out[rows], users=rows)
    torch.save(metric.compute(), f"{folder}/{rank}.pt")
    distributed.destroy_process_group()


def test_processes_merge_what_each_has_seen(tmp_path):
    multiprocessing = pytest.importorskip("torch.multiprocessing")
    multiprocessing.spawn(run_process, (tmp_path / "address", 2, tmp_path), nprocs=2)
    best, held_out = batches(41)
    whole = rm.evaluate(best, held_out, ["ndcg@10", "catalog_coverage@10"], catalog=30)
    expected = {name: pytest.approx(whole[name].value, abs=1e-12) for name in whole}
    assert [torch.load(tmp_path / f"{rank}.pt") for rank in range(2)] == [expected] * 2


def test_lightning_logs_the_values_of_an_epoch(tmp_path):
    lightning = pytest.importorskip("lightning", reason="lightning is not installed")

    class Model(lightning.LightningModule):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(1, 1)
            self.metric = EpochEvaluation(["recall@10", "ndcg@10"], prefix="val/")

        def training_step(self, batch):
            return self.layer(torch.ones(1)).sum()

        def validation_step(self, batch):
            rows, best, held_out = batch
            self.metric.update(best, held_out, users=rows)

        def on_validation_epoch_end(self):
            self.log_dict(self.metric.compute())
            self.metric.reset()

        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), 0.1)

    best, held_out = batches(40)
    loader = torch.utils.data.DataLoader(
        torch.utils.data.TensorDataset(torch.arange(40), best, held_out), batch_size=16
    )
    trainer = lightning.Trainer(
        accelerator="cpu",
        max_epochs=2,
        logger=False,
        default_root_dir=tmp_path,
        enable_checkpointing=False,
        enable_progress_bar=False,
        num_sanity_val_steps=1,
    )
    trainer.fit(Model(), loader, loader)
    whole = rm.evaluate(best, held_out, ["recall@10", "ndcg@10"])
    for name in whole:
        assert float(trainer.callback_metrics[f"val/{name}"]) == pytest.approx(whole[name].value)
