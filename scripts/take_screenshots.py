"""Takes the pictures of the explorer for the README, light and dark: pages of a chain on which the four games were played.

`python scripts/take_screenshots.py` writes `chain/guides/pages/<page>-<scheme>.webp`. It needs the browser that
`scripts/setup_browser` installs.
"""

from __future__ import annotations

import base64
import os
import shutil
from contextlib import redirect_stdout
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Final

import play_blokus
import play_deblockle
import play_mage_duel
import play_sagrada
from playwright.sync_api import Browser, sync_playwright

from chain import Chain
from chain.explorer.explorer import Explorer
from chain.rpc.server.listener import Settings
from chain.rpc.server.server import Server

FOLDER: Final = Path(__file__).parents[1] / "chain" / "guides" / "pages"
SIZE: Final = {"width": 1240, "height": 800}
PAGES: Final = {
    "board": "/board/Blokus/0/38",
    "failure": "/tx/110",
    "activity": "/?contract=Blokus",
}


def main() -> None:
    chain = Chain()
    with redirect_stdout(StringIO()):
        for game in (play_mage_duel, play_deblockle, play_blokus, play_sagrada):
            game.main(chain)
    browser = os.environ.get("BOARDCHAIN_BROWSER") or shutil.which("chromium")
    options = ["--disable-dev-shm-usage", *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    server = Server(chain, Settings(port=0), None, partial(Explorer, chain))
    FOLDER.mkdir(exist_ok=True)
    with server.in_thread() as url, sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser, args=options)
        for name, path in PAGES.items():
            for scheme in ("light", "dark"):
                file = FOLDER / f"{name}-{scheme}.webp"
                file.write_bytes(_picture(chromium, url + path, scheme))
                print(file.relative_to(FOLDER.parents[1]))
        chromium.close()


def _picture(browser: Browser, url: str, scheme: str) -> bytes:
    dark = scheme == "dark"
    page = browser.new_page(color_scheme="dark" if dark else "light", viewport=SIZE)  # type: ignore[arg-type]
    page.goto(url)
    page.locator(".dot.live").wait_for()
    session = page.context.new_cdp_session(page)
    shot = session.send("Page.captureScreenshot", {"format": "webp", "quality": 82})
    page.close()
    return base64.b64decode(shot["data"])


if __name__ == "__main__":
    main()
