"""The search while one types: it finds functions by all their names, and loads nothing before."""

from __future__ import annotations

import importlib
import re

import pytest

from tests.book.conftest import ROOT

pytestmark = pytest.mark.browser

PAGE = "chapters/02_ranking.html"
NDCG = "api/ranking.ndcg.html"
MAP = "api/ranking.average_precision.html"
# A question, and the function that has to be among the first three.
QUERIES = {
    "ndcg": NDCG,
    "nDCG@10": NDCG,
    "ndcg_score": NDCG,
    "sklearn ndcg_score": NDCG,
    "retrieval_normalized_dcg": NDCG,
    "normalized discounted cumulative gain": NDCG,
    "ndcg_at_k": NDCG,
    "ndcg_burges ranx": NDCG,
    "recbole ndcg": NDCG,
    "dcg": "api/ranking.dcg.html",
    "map": MAP,
    "how do I compute map": MAP,
    "average precision sklearn": MAP,
    "retrieval_average_precision": MAP,
    "mean average precision": MAP,
    "mar": "api/ranking.average_recall.html",
    "mrr": "api/ranking.reciprocal_rank.html",
    "mean reciprocal rank": "api/ranking.reciprocal_rank.html",
    "hr": "api/ranking.hit_rate.html",
    "hitratio cornac": "api/ranking.hit_rate.html",
    "hit rate at k": "api/ranking.hit_rate.html",
    "recall@20": "api/ranking.recall.html",
    "precision at k": "api/ranking.precision.html",
    "f1": "api/ranking.f_beta.html",
    "auc": "api/ranking.roc_auc.html",
    "roc auc score": "api/ranking.roc_auc.html",
    "rbp": "api/ranking.rank_biased_precision.html",
    "rbo": "api/ranking.rank_biased_overlap.html",
    "err": "api/ranking.expected_reciprocal_rank.html",
    "bpref": "api/ranking.bpref.html",
    "arhr": "api/ranking.reciprocal_hit_rate.html",
    "rmse": "api/rating.rmse.html",
    "mean_absolute_error": "api/rating.mae.html",
    "r2 score": "api/rating.r2.html",
    "gini": "api/beyond_accuracy.gini.html",
    "itemcoverage": "api/beyond_accuracy.catalog_coverage.html",
    "coverage": "api/beyond_accuracy.catalog_coverage.html",
    "ild": "api/beyond_accuracy.intra_list_diversity.html",
    "novelty": "api/beyond_accuracy.self_information.html",
    "serendipity": "api/beyond_accuracy.serendipity.html",
    "personalization evidently": "api/beyond_accuracy.personalization.html",
    "ece": "api/calibration.expected_calibration_error.html",
    "brier score": "api/calibration.brier_score.html",
    "ips": "api/bias.off_policy.ips.html",
    "snips": "api/bias.off_policy.snips.html",
    "doubly robust": "api/bias.off_policy.doubly_robust.html",
    "cuped": "api/protocol.online.cuped.html",
    "temporal split": "api/protocol.temporal_split.html",
    # Words in common use, and names in camels and with the spelling of another country.
    "mapk": "api/ranking.average_precision.html",
    "area under the curve": "api/ranking.roc_auc.html",
    "mean absolute percentage error": "api/rating.mape.html",
    "fcp": "api/ranking.fraction_of_concordant_pairs.html",
    "cross entropy": "api/calibration.log_loss.html",
    "reliability diagram": "api/calibration.reliability_curve.html",
    "isotonic regression": "api/calibration.html#recsys_metrics.calibration.IsotonicCalibration",
    "average recommendation popularity": "api/beyond_accuracy.average_popularity.html",
    "personalisation": "api/beyond_accuracy.personalization.html",
    "confidence interval": "api/protocol.significance.mean_interval.html",
    "bonferroni": "api/protocol.significance.adjust.html",
    "holm": "api/protocol.significance.adjust.html",
    "statistical power": "api/protocol.online.sample_size.html",
    "srm": "api/protocol.online.sample_ratio.html",
    "sample ratio mismatch": "api/protocol.online.sample_ratio.html",
    "inverse propensity scoring": "api/bias.off_policy.ips.html",
    "self-normalised ips": "api/bias.off_policy.snips.html",
    "ess": "api/bias.off_policy.effective_sample_size.html",
    "kendall tau": "api/rating.correlation.html",
    "pearson": "api/rating.correlation.html",
    "llm judge": "api/protocol.judges.html#recsys_metrics.protocol.judges.JudgeAgreement",
    "MeanReciprocalRank": "api/ranking.reciprocal_rank.html",
    "graded relevance": "api/ranking.ndcg.html",
    "normalized cross entropy": "api/calibration.normalized_entropy.html",
    "benjamini hochberg": "api/protocol.significance.adjust.html",
    "permutation test": "api/protocol.significance.randomization_test.html",
    "peeking": "api/protocol.online.sequential_test.html",
    "variance reduction": "api/protocol.online.cuped.html",
    "cross validation": "api/protocol.k_folds.html",
    "pandas dataframe": "api/convert.lists_from_frame.html",
    "hit rate": "api/ranking.hit_rate.html",
    "hit ratio": "api/ranking.hit_rate.html",
    "hit@10": "api/ranking.hit_rate.html",
    "item coverage": "api/beyond_accuracy.catalog_coverage.html",
    "user coverage": "api/beyond_accuracy.user_coverage.html",
    "top_k_accuracy_score": "api/ranking.hit_rate.html",
    "map@k": "api/ranking.average_precision.html",
    "gauc": "api/ranking.group_auc.html",
    "IntraListDiversity": "api/beyond_accuracy.intra_list_diversity.html",
    "long tail": "api/beyond_accuracy.long_tail_share.html",
    "leave one out": "api/protocol.leave_last_n_out.html",
    "a/b test": "api/protocol.online.ab_test.html",
    "team draft interleaving": "api/protocol.online.interleave.html",
    "click-through rate": "api/protocol.online.click_through_rate.html",
    "r squared": "api/rating.r2.html",
    "expected calibration error": "api/calibration.expected_calibration_error.html",
    "pareto": "api/evaluation.pareto_front.html",
    "qrels": "api/convert.read_qrels.html",
    "p-value": "api/protocol.significance.randomization_test.html",
    "sampled metrics": "api/protocol.candidates.sampled_ranks.html",
    "bootstrap": "api/protocol.significance.bootstrap_interval.html",
    "leakage": "api/protocol.leakage.html",
    "popularity bias": "api/beyond_accuracy.average_popularity.html",
}
# A question, and the heading of a chapter that comes first.
SECTIONS = {
    "map@k": "Average precision",
    "recall": "Recall at K",
    "precision at k": "Precision at K",
    "NDCG": "Discounted cumulative gain and NDCG",
    "HR@10": "Hit rate",
    "mean reciprocal rank": "Reciprocal rank and MRR",
    "auc": "AUC",
    "gauc": "Group AUC",
    "coverage": "Coverage",
    "novelty": "Novelty",
    "ips": "Off-policy evaluation: IPS and SNIPS",
    "ece": "Expected calibration error",
    "brier": "Brier score",
    "rmse": "RMSE",
    "leakage": "Train-test splits and data leakage",
    "leave one out": "Evaluation protocol: splits and candidates",
    "p-value": "Evaluation protocol: statistical evidence",
    "sampled metrics": "Candidates: full or sampled ranking",
    "bootstrap": "The bootstrap over users",
    "cold start": "Cold start by length of history",
}


@pytest.fixture(scope="module")
def view(book, open_shared_view):
    return open_shared_view(book, "chapters/02_ranking.html")


def test_the_index_of_the_search_passes_its_doctests(monkeypatch):
    import doctest

    monkeypatch.syspath_prepend(str(ROOT / "dev" / "tools"))
    monkeypatch.syspath_prepend(str(ROOT / "book"))
    monkeypatch.chdir(ROOT)
    found = doctest.testmod(importlib.import_module("search_index"))
    assert found.attempted > 0
    assert found.failed == 0


def test_the_right_function_is_among_the_first_three(view):
    found = view.page.evaluate(
        """async (queries) => {
            const found = {};
            for (const query of queries) {
                const [first] = await recsysBook.search(query);
                found[query] = first?.name === "Functions" ? first.entries.map(e => e.url) : [];
            }
            return found;
        }""",
        list(QUERIES),
    )
    lost = {query: found[query] for query, url in QUERIES.items() if url not in found[query][:3]}
    assert lost == {}


def find_titles(view, query):
    return view.page.evaluate(
        """async (query) => {
            const [first] = await recsysBook.search(query);
            return [first.name, ...first.entries.map(e => e.title)];
        }""",
        query,
    )


def test_the_section_that_defines_it_comes_first(view):
    found = view.page.evaluate(
        """async (queries) => Object.fromEntries(await Promise.all(queries.map(async (query) => {
            const groups = await recsysBook.search(query);
            return [query, groups.find(({ name }) => name === "Chapters")?.entries[0].title];
        })))""",
        list(SECTIONS),
    )
    assert found == SECTIONS


def test_a_kind_of_section_that_each_chapter_has_is_not_found(view):
    titles = view.page.evaluate(
        """async () => Object.values((await Promise.all(
            ["recall", "summary", "next", "references", "what goes wrong"].map(recsysBook.search)
        )).flat()).filter(({ name }) => name === "Chapters")
            .flatMap(({ entries }) => entries.map(({ title }) => title))"""
    )
    assert "Recall at K" in titles
    assert {"Recall", "Summary", "Next", "References", "What goes wrong"} & {*titles} == set()


def test_a_name_that_only_begins_like_the_one_asked_for_is_not_found(view):
    assert find_titles(view, "map@k") == ["Functions", "average_precision"]
    assert find_titles(view, "mape")[1] == "mape"
    # What one function is called is not another's name, though a library may compute it so.
    assert find_titles(view, "gauc") == ["Functions", "group_auc"]
    assert "precision" not in find_titles(view, "novelty")
    assert "precision" not in find_titles(view, "recall")
    assert find_titles(view, "mae") == ["Functions", "mae"]


def test_a_part_of_a_longer_name_is_no_match_beside_the_whole_name(view):
    assert find_titles(view, "hit rate") == ["Functions", "hit_rate", "reciprocal_hit_rate"]
    group, first, *others = find_titles(view, "coverage")
    assert (group, first) == ("Functions", "catalog_coverage")
    assert {"shannon_entropy", "ranking_loss"} & {*others} == set()


def test_what_is_found_in_part_comes_after_what_is_found_as_a_whole(view):
    # A chapter has both words, and a function only the second.
    assert find_titles(view, "novelty effect")[0] == "Chapters"


def test_chapters_terms_and_other_pages_are_found(view):
    found = view.page.evaluate(
        """async () => Object.fromEntries(
            (await recsysBook.search("calibration"))
                .map(g => [g.name, g.entries.map(e => e.url)]))"""
    )
    assert list(found) == ["Functions", "Chapters", "Terms", "Other pages"][: len(found)]
    assert any(url.startswith("chapters/05_calibration") for url in found["Chapters"])
    assert any(url.startswith("chapters/glossary.html#") for url in found["Terms"])
    assert view.page.evaluate('recsysBook.search("")') == []


def test_results_appear_while_typing_and_enter_opens_the_first(book, open_view):
    asked = []
    view = open_view(book, "chapters/02_ranking.html", heard=lambda got: asked.append(got.url))
    page = view.page
    assert not any("search_index" in url or "searchindex" in url for url in asked)
    page.keyboard.press("Control+k")
    field = page.locator("#pst-search-dialog input[type=search]")
    field.press_sequentially("ndcg")
    options = page.locator("#pst-search-dialog [role=option]")
    options.first.wait_for()
    assert options.first.locator(".search-title").text_content() == "ndcg"
    assert options.first.get_attribute("aria-selected") == "true"
    assert field.get_attribute("aria-activedescendant") == options.first.get_attribute("id")
    ids = options.evaluate_all("all => all.map(one => one.id)")
    assert len(set(ids)) == len(ids)
    groups = page.locator("#pst-search-dialog .search-group").all_text_contents()
    assert groups[0] == "Functions"
    assert len(groups) > 1
    assert re.fullmatch(r"\d+ pages found", page.locator(".search-count").first.text_content())
    # All of them are seen at once.
    found = page.locator("#pst-search-dialog .search-found")
    assert found.evaluate("it => it.scrollHeight <= it.clientHeight")
    assert found.evaluate("it => it.getBoundingClientRect().bottom") <= 800
    field.press("ArrowDown")
    assert options.nth(1).get_attribute("aria-selected") == "true"
    field.press("ArrowUp")
    field.press("Enter")
    page.wait_for_url("**/api/ranking.ndcg.html")
    assert page.locator("dt.sig").first.bounding_box()["y"] < 800
    # What else was found is beside the text.
    article = page.locator("article.bd-article").bounding_box()
    assert page.locator(".search-jump").bounding_box()["x"] >= article["x"] + article["width"]
    assert view.errors == view.outside == []


@pytest.mark.parametrize("height", [420, 600, 844])
@pytest.mark.parametrize("query", ["ndcg", "calibration", "recall"])
def test_the_list_ends_within_the_window_and_its_last_row_is_seen(view, query, height):
    page = view.page
    page.set_viewport_size({"width": 1280 if height < 800 else 390, "height": height})
    page.keyboard.press("Control+k")
    page.locator("#pst-search-dialog input[type=search]").fill(query)
    dialog = page.locator("#pst-search-dialog")
    last = dialog.locator("[role=option]").last
    last.wait_for()
    assert last.inner_text() == f"Search the full text for “{query}”"
    box = last.bounding_box()
    assert box["y"] + box["height"] <= height - 8
    # One thing scrolls, the list, and not the window around it.
    assert dialog.evaluate("it => it.scrollHeight <= it.clientHeight")
    page.keyboard.press("Escape")
    page.set_viewport_size({"width": 1280, "height": 800})


@pytest.mark.parametrize("width", [1280, 390])
def test_the_field_on_the_page_of_the_search_has_the_query(book, open_view, width):
    page = open_view(book, PAGE, width=width).page
    page.keyboard.press("Control+k")
    page.locator("#pst-search-dialog input[type=search]").fill("MRR")
    page.locator("#pst-search-dialog [role=option]").first.wait_for()
    page.keyboard.press("Enter")
    page.locator(".search-jump").get_by_role("link", name="All results").click()
    page.wait_for_url("**/search.html?q=MRR")
    page.locator(".search-on-page [role=option]").first.wait_for()
    fields = page.locator("form.bd-search input[type=search]:visible")
    assert [field.input_value() for field in fields.all()] == ["MRR"]


def test_the_last_row_searches_the_full_text(book, open_view):
    page = open_view(book, "api/ranking.ndcg.html").page
    page.keyboard.press("Control+k")
    field = page.locator("#pst-search-dialog input[type=search]")
    field.fill("reciprocal")
    page.locator("#pst-search-dialog [role=option]").first.wait_for()
    field.press("ArrowUp")
    field.press("Enter")
    page.wait_for_url("**/search.html?q=reciprocal")
    page.wait_for_selector("#search-results li a")
    full = page.locator("#search-results li a").evaluate_all("links => links.map(a => a.href)")
    assert any("chapters/02_ranking.html" in link for link in full)
    # The page of the search shows the grouped results too, and Enter there stays with the text.
    option = page.locator(".search-found [role=option]").first
    option.wait_for()
    assert option.get_attribute("aria-selected") == "false"


def test_the_page_of_the_search_begins_with_the_best_and_quotes_articles(book, open_view):
    page = open_view(book, "search.html?q=ndcg", width=390).page
    options = page.locator(".search-on-page [role=option]")
    options.first.wait_for()
    assert options.first.locator(".search-title").inner_text() == "ndcg"
    assert options.evaluate_all("all => all.map(one => one.ariaSelected)").count("true") == 0
    assert page.locator(".search-on-page").evaluate("it => it.scrollTop") == 0
    assert page.evaluate("scrollY") == 0
    quoted = page.locator("#search-results .context")
    quoted.first.wait_for()
    # What each page has around its article is no find.
    assert "On this page" not in " ".join(quoted.all_inner_texts())
    assert "How close is the list" in quoted.first.inner_text()


def test_no_mark_of_a_search_is_in_a_formula(book, open_view):
    page = open_view(book, "api/ranking.ndcg.html?highlight=ndcg").page
    page.wait_for_selector("article span.highlighted")
    assert page.locator("math .highlighted").count() == 0


def test_a_finger_opens_a_result(book, open_view):
    page = open_view(book, "chapters/02_ranking.html", width=390, has_touch=True).page
    page.locator(".search-button__button:visible").first.tap()
    page.locator("#pst-search-dialog input[type=search]").fill("mrr")
    option = page.locator("#pst-search-dialog [role=option]").first
    option.wait_for()
    box = option.bounding_box()
    assert box["height"] >= 44
    assert box["x"] + box["width"] <= 390
    option.tap()
    page.wait_for_url("**/api/ranking.reciprocal_rank.html")


def test_results_mark_what_is_typed_and_say_where_each_one_is(book, open_view):
    page = open_view(book, "chapters/02_ranking.html").page
    page.keyboard.press("Control+k")
    field = page.locator("#pst-search-dialog input[type=search]")
    field.fill("average precision")
    options = page.locator("#pst-search-dialog [role=option]:has(.search-title)")
    options.first.wait_for()
    assert options.first.locator(".search-title mark").all_inner_texts() == ["average", "precision"]
    # Of the same title the line below says what is meant.
    rows = options.evaluate_all(
        """all => all.map(one => [".search-title", ".search-says"].map(
            part => one.querySelector(part).textContent).join(" | ").toLowerCase())"""
    )
    assert len(set(rows)) == len(rows)
    assert "average precision | section of ranking: average precision" in rows
    assert "average precision | section of conventions" in rows
    assert any(row.startswith("erratum: average precision") for row in rows)
    # On a wide page all rows have one height, and no text is cut off.
    assert len(set(options.evaluate_all("all => all.map(one => one.offsetHeight)"))) == 1
    assert options.locator(".search-says").evaluate_all(
        "all => all.every(one => one.scrollWidth <= one.clientWidth)"
    )
    colour = "it => getComputedStyle(it).color"
    assert field.evaluate(colour) == page.locator("body").evaluate(colour)
    found = page.locator("#pst-search-dialog .search-found").bounding_box()
    last = page.locator("#pst-search-dialog [role=option]").last.bounding_box()
    assert found["y"] + found["height"] - last["y"] - last["height"] <= 2
    keys = page.locator("#pst-search-dialog kbd")
    assert keys.locator("visible=true").all_inner_texts() == ["↑ ↓", "Enter", "Esc"]
    assert page.locator("#pst-search-dialog").get_by_role("button", name="Close").is_hidden()
    # The other spelling is marked, and a query has no signs of a pattern.
    field.fill("normalised (dcg")
    page.locator("#pst-search-dialog mark", has_text="normaliz").or_(
        page.locator("#pst-search-dialog mark", has_text="DCG")
    ).first.wait_for()


def test_a_finger_closes_the_search_and_what_else_was_found(book, open_view):
    phone = {"width": 390, "has_touch": True, "is_mobile": True}
    page = open_view(book, "chapters/02_ranking.html", **phone).page
    page.locator(".search-button__button:visible").first.tap()
    dialog = page.locator("#pst-search-dialog")
    assert dialog.locator("kbd").locator("visible=true").count() == 0
    dialog.get_by_role("button", name="Close").tap()
    assert dialog.is_hidden()
    page.locator(".search-button__button:visible").first.tap()
    dialog.locator("input[type=search]").fill("hit rate")
    dialog.locator("[role=option]").first.tap()
    page.wait_for_url("**/api/ranking.hit_rate.html")
    bar = page.locator(".search-jump")
    assert bar.bounding_box()["height"] <= 48
    article = page.locator("article.bd-article")
    article.dispatch_event("touchmove", {"touches": []})
    assert bar.count() == 0


def test_the_page_for_lost_readers_has_the_search(book, open_view, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "book"))
    addresses = importlib.import_module("addresses")
    lost = book.folder / "lost.html"
    lost.write_text(addresses._missing(f"{book.address}/", "A book"), encoding="utf-8")
    try:
        view = open_view(book, "lost.html")
        view.page.get_by_role("combobox", name="Search the book").fill("recall")
        option = view.page.locator("[role=option]").first
        option.wait_for()
        option.click()
        view.page.wait_for_url("**/api/ranking.recall.html")
        assert view.errors == view.outside == []
    finally:
        lost.unlink()
