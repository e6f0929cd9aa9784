"""The pages in a real browser: keys, news, without script, on a phone, and with axe-core's checks.

Any script error, console error (so any breach of the policy), dialog, or request to another host fails a test.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from chain import Chain
from chain.arena import Plan, Store
from chain.arena.match import play_game
from chain.explorer.campaign.site import CampaignSite
from chain.explorer.explorer import Explorer
from chain.explorer.standalone import PageServer
from chain.rpc.server.listener import Settings
from chain.rpc.server.server import Server

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
AXE = Path(__file__).parents[2] / "clients" / "node_modules" / "axe-core" / "axe.min.js"
PAGES = (
    "/", "/tx/2", "/board/Deblockle/0", "/boards", "/events?event=Noted", "/contract/Wall", "/contract/Wall/echo",
    "/sql?q=select+1",
)  # fmt: skip

OF_CAMPAIGN = ("/", "/games?failed=1", "/game/0", "/game/0/chain/")
NIM = "tests.chain.arena.nim"
HERE = "http://127.0.0.1:"

_FIND = """options => axe.run({resultTypes: ["violations"], ...options}).then(
    ({violations}) => violations.map(one => [one.id, one.nodes.map(node => node.html)]))"""
# What depends on the colours alone is all that can differ in the dark.
_RULES: dict[str, dict[str, Any]] = {"light": {}, "dark": {"runOnly": ["color-contrast"]}}

Open = Callable[..., Page]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    found = filter(None, map(shutil.which, (os.environ.get("BOARDCHAIN_BROWSER", ""), *NAMES)))
    path = next(found, None)
    if path is None:
        pytest.skip("no browser here: apt install chromium")
    with sync_playwright() as playwright:
        options = ["--disable-dev-shm-usage", *(["--no-sandbox"] if os.geteuid() == 0 else [])]
        browser = playwright.chromium.launch(executable_path=path, args=options)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def url(chain: Chain) -> Iterator[str]:
    """The address of a node with the chain of these tests."""
    server = Server(chain, Settings(port=0), None, partial(Explorer, chain))
    with server.in_thread() as address:
        yield address


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Results of a campaign that wants more games."""
    folder, plan = tmp_path_factory.mktemp("runs"), Plan.of(NIM, ["wrong", "random"])
    with Store(folder) as store:
        store.follow(plan, 20)
        store.add([play_game(plan, number) for number in range(12)], store.tally())
    return folder


@pytest.fixture(scope="module")
def campaign(results: Path) -> Iterator[str]:
    """The address of its pages."""
    with PageServer(CampaignSite(results), Settings(port=0), lambda: None).in_thread() as address:
        yield address


@pytest.fixture
def open_page(browser: Browser, url: str) -> Iterator[Open]:
    """Opens a page in its own context; at the end no page may have had an error."""
    contexts: list[BrowserContext] = []
    wrong: list[str] = []

    def open_page(path: str, **options: Any) -> Page:
        context = browser.new_context(**options)
        contexts.append(context)
        if AXE.exists():
            context.add_init_script(path=AXE)
        page = context.new_page()
        page.on("pageerror", lambda error: wrong.append(f"error: {error}"))
        page.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
        page.on("dialog", lambda dialog: wrong.append(f"dialog: {dialog.message}"))
        page.on("request", lambda request: None if request.url.startswith(HERE) else wrong.append(request.url))  # fmt: skip
        page.goto(path if path.startswith(HERE) else url + path)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert wrong == []


def addresses(url: str, campaign: str) -> list[str]:
    return [url + path for path in PAGES] + [campaign + path for path in OF_CAMPAIGN]


def rpc(url: str, method: str, *params: object) -> Any:
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    head = {"content-type": "application/json"}
    with urlopen(Request(url, json.dumps(body).encode(), head)) as answer:
        return json.loads(answer.read())["result"]


def send(url: str, **fields: object) -> None:
    rpc(url, "chain_send", fields)


def test_keys_step_a_board(open_page: Open, url: str) -> None:
    page = open_page("/board/Deblockle/0")
    shown, keyboard = page.locator("output"), page.keyboard
    expect(shown).to_have_text("3 of 3")
    keyboard.press("ArrowLeft")
    expect(shown).to_have_text("2 of 3")
    expect(page).to_have_url(f"{url}/board/Deblockle/0/2")
    expect(page.locator("[aria-current=step]")).to_have_attribute("data-ply", "2")
    page.locator("[data-step=first]").click()
    expect(shown).to_have_text("1 of 3")
    keyboard.press("ArrowRight")  # after a click on a button, too
    expect(shown).to_have_text("2 of 3")
    keyboard.press("End")
    expect(shown).to_have_text("3 of 3")


def test_repeated_keys_end_at_the_right_step(browser: Browser, open_page: Open) -> None:
    page = open_page("/board/Deblockle/0/1")
    for key in ("ArrowRight", "ArrowRight", "ArrowLeft", "ArrowLeft", "ArrowRight") * 3:
        page.keyboard.press(key)
    expect(page.locator("output")).to_have_text("2 of 3")


def test_a_new_transaction_appears_at_once(open_page: Open, url: str) -> None:
    page = open_page("/")
    expect(page.locator(".dot.live")).to_be_visible()
    send(url, to="Wall", entry="write", args=["just now"])
    expect(page.get_by_text("(just now)")).to_be_visible(timeout=500)
    expect(page.locator("tr.new")).to_have_count(1)


def test_a_board_follows_the_game(open_page: Open, url: str) -> None:
    page, watcher = open_page("/board/Deblockle/0"), open_page("/board/Deblockle/0/1")
    expect(page.locator(".dot.live")).to_be_visible()
    expect(watcher.locator(".dot.live")).to_be_visible()
    send(url, to="Deblockle", entry="pass_move", args=[0], **{"from": "second.testnet"})
    expect(page.locator("output")).to_have_text("4 of 4")
    expect(watcher.locator("output")).to_have_text("1 of 4")


def test_a_rollback_removes_rows(open_page: Open, url: str) -> None:
    page = open_page("/")
    expect(page.locator(".dot.live")).to_be_visible()
    point = rpc(url, "evm_snapshot")
    send(url, to="Wall", entry="write", args=["soon undone"])
    expect(page.get_by_text("(soon undone)")).to_be_visible()
    assert rpc(url, "evm_revert", point) is True
    expect(page.get_by_text("(soon undone)")).to_have_count(0)


def test_pages_work_without_script(open_page: Open, url: str) -> None:
    page = open_page("/board/Deblockle/0/1", java_script_enabled=False)
    page.locator("[data-step=on]").click()
    expect(page).to_have_url(f"{url}/board/Deblockle/0/2")
    page.locator(".search input").fill("#2")
    page.keyboard.press("Enter")
    expect(page).to_have_url(f"{url}/tx/2")


def test_keys_walk_a_list_and_find(open_page: Open, url: str) -> None:
    page = open_page("/")
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_contain_text("Transaction #")
    expect(page.locator(".dot.live")).to_be_visible()
    page.keyboard.press("/")
    page.keyboard.type("Deblockle")
    page.keyboard.press("Enter")
    expect(page).to_have_url(f"{url}/contract/Deblockle")


def test_a_running_campaign_updates_its_page(open_page: Open, campaign: str, results: Path) -> None:
    page = open_page(campaign)
    expect(page.locator(".dot.live")).to_be_visible()
    with Store(results) as store:
        assert store.plan is not None
        store.add([play_game(store.plan, 12)], store.tally())
    expect(page.get_by_text("13 of 20")).to_be_visible()
    expect(page.locator(".head")).to_have_text("13 games")


def test_a_game_is_stepped_through_without_script(open_page: Open, campaign: str) -> None:
    page = open_page(f"{campaign}/games?failed=1", java_script_enabled=False)
    page.locator("a.row").first.click()
    page.get_by_text("Step through it").click()
    expect(page).to_have_url(re.compile(rf"^{campaign}/game/\d+/chain/$"))
    page.locator("a.row").first.click()
    expect(page.locator("h1")).to_contain_text("Transaction #")
    page.locator(".within a").click()
    expect(page.locator("h1")).to_contain_text("Game ")


def test_no_page_is_wider_than_a_phone(open_page: Open, url: str, campaign: str) -> None:
    page = open_page("/", viewport={"width": 390, "height": 844})
    for address in addresses(url, campaign):
        page.goto(address)
        assert page.locator("html").evaluate("page => page.scrollWidth") == 390, address


@pytest.mark.parametrize("media", ["screen", "print"])
def test_calls_are_in_sight_beside_another_window(open_page: Open, media: Any) -> None:
    page = open_page("/?contract=Deblockle", viewport={"width": 900, "height": 800})
    page.emulate_media(media=media)
    cut = "calls => calls.filter(call => call.scrollWidth > call.clientWidth).length"
    assert page.locator(".lines .call").evaluate_all(cut) == 0


@pytest.mark.parametrize("path", ["/stats", "/contracts"])
def test_numbers_are_in_sight_on_a_phone(open_page: Open, path: str) -> None:
    table = open_page(path, viewport={"width": 390, "height": 844}).locator(".scroll")
    assert table.evaluate("table => table.scrollWidth <= table.clientWidth")


@pytest.mark.skipif(not AXE.exists(), reason="no axe-core here: scripts/setup_clients")
@pytest.mark.parametrize("scheme", _RULES)
def test_axe_finds_nothing(open_page: Open, url: str, campaign: str, scheme: str) -> None:
    page = open_page("/", color_scheme=scheme)
    for address in addresses(url, campaign):
        page.goto(address)
        found = page.evaluate(_FIND, _RULES[scheme])
        assert found == [], address
