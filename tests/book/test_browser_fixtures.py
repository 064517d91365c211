"""How the tests look at pages: what one test leaves in a tab does not help the next."""

from __future__ import annotations

import pytest

from tests.book.conftest import open_views

pytestmark = pytest.mark.browser

PAGE = "chapters/explorables_ranking.html"

REMEMBERED = """() => [
    ...Object.keys(localStorage).sort(), ...Object.keys(sessionStorage),
    location.hash, window.mine ?? "",
    document.querySelectorAll(":hover, :focus").length,
]"""


def test_a_reused_tab_has_no_stored_state(sample_site, tabs):
    with open_views(tabs) as open_page:
        page = open_page(sample_site, PAGE).page
        new = page.evaluate(REMEMBERED)
        assert new == ["mode", "theme", "", "", 0]
    with open_views(tabs) as open_page:
        assert open_page(sample_site, f"{PAGE}#here").page is page
        page.evaluate(
            """() => {
                window.mine = localStorage.mine = sessionStorage.mine = "mine";
                localStorage.mode = localStorage.theme = "dark";
            }"""
        )
        page.locator("nav a:visible").first.hover()
        page.locator("nav a:visible").first.focus()
        assert page.evaluate(REMEMBERED) != new
    with open_views(tabs) as open_page:
        again = open_page(sample_site, PAGE)
        assert again.page is page
        assert page.evaluate(REMEMBERED) == new
        assert page.evaluate("document.documentElement.dataset.theme") == "light"


def test_two_views_at_the_same_time_share_no_state(sample_site, open_view):
    mine, other = open_view(sample_site, PAGE).page, open_view(sample_site, PAGE).page
    mine.evaluate("localStorage.mine = 'mine'")
    other.reload()
    assert other.evaluate("localStorage.mine ?? ''") == ""


def test_a_figure_that_does_not_start_is_reported(sample_site, open_view):
    view = open_view(sample_site, PAGE)
    view.page.route("**/explorables/ranking.metric_values.js", lambda route: route.abort())
    view.page.reload()
    with pytest.raises(AssertionError, match=r"ranking\.metric_values"):
        view.wake(patience=5)
    view.page.unroute_all()


def test_errors_missing_files_and_other_hosts_are_recorded(sample_site, open_view):
    view = open_view(sample_site, PAGE)
    view.page.evaluate(
        """async () => {
            setTimeout(() => { throw new Error("planted") });
            await fetch("/nowhere.css");
            await fetch("http://elsewhere.example/").catch(() => {});
        }"""
    )
    view.page.wait_for_timeout(100)
    assert view.outside == ["http://elsewhere.example/"]
    assert any("planted" in said for said in view.errors)
    assert any(said.startswith("404 ") and "nowhere.css" in said for said in view.errors)
