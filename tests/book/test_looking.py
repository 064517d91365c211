"""How the tests look at pages: what one test leaves in a tab does not help the next."""

from __future__ import annotations

import pytest

from tests.book.conftest import looking

pytestmark = pytest.mark.browser

PAGE = "chapters/explorables_ranking.html"

REMEMBERED = """() => [
    ...Object.keys(localStorage).sort(), ...Object.keys(sessionStorage),
    location.hash, window.mine ?? "",
    document.querySelectorAll(":hover, :focus").length,
]"""


def test_a_tab_that_is_used_again_remembers_nothing(sampled, tabs):
    with looking(tabs) as open_page:
        page = open_page(sampled, PAGE).page
        new = page.evaluate(REMEMBERED)
        assert new == ["mode", "theme", "", "", 0]
    with looking(tabs) as open_page:
        assert open_page(sampled, f"{PAGE}#here").page is page
        page.evaluate(
            """() => {
                window.mine = localStorage.mine = sessionStorage.mine = "mine";
                localStorage.mode = localStorage.theme = "dark";
            }"""
        )
        page.locator("nav a:visible").first.hover()
        page.locator("nav a:visible").first.focus()
        assert page.evaluate(REMEMBERED) != new
    with looking(tabs) as open_page:
        again = open_page(sampled, PAGE)
        assert again.page is page
        assert page.evaluate(REMEMBERED) == new
        assert page.evaluate("document.documentElement.dataset.theme") == "light"


def test_two_that_look_at_one_time_share_nothing(sampled, look):
    mine, other = look(sampled, PAGE).page, look(sampled, PAGE).page
    mine.evaluate("localStorage.mine = 'mine'")
    other.reload()
    assert other.evaluate("localStorage.mine ?? ''") == ""


def test_what_does_not_wake_is_named(sampled, look):
    view = look(sampled, PAGE)
    view.page.route("**/explorables/ranking.verdicts.js", lambda route: route.abort())
    view.page.reload()
    with pytest.raises(AssertionError, match=r"ranking\.verdicts"):
        view.wake(patience=5)
    view.page.unroute_all()


def test_an_error_a_missing_file_and_another_host_are_noted(sampled, look):
    view = look(sampled, PAGE)
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
