"""How fast and how heavy are the figures? Build the book first, then run:

    python benchmarks/figures.py _build/html

A real browser opens every page with figures. Printed are, for each figure, the milliseconds from a
key press to the changed picture (the frame in which it is drawn has ended), and for each page its
weight, compressed as a server would send it, and how much of what was already there moved while it
loaded. Needs a Chromium on the path.
"""

import gzip
import http.server
import random
import shutil
import statistics
import sys
import tempfile
import threading
from functools import partial
from pathlib import Path
from urllib.parse import unquote, urlsplit

import torch
from playwright.sync_api import sync_playwright

from attention_by_hand.figures import AttentionExplorer

PRESSES = 40
WATCH = """() => {
    window.times = [];
    window.shift = 0;
    addEventListener('keydown', ({ timeStamp }) => requestAnimationFrame(() => {
        const { port1, port2 } = new MessageChannel(); // its message comes after the frame is drawn
        port1.onmessage = () => times.push(performance.now() - timeStamp);
        port2.postMessage(0);
    }), true);
    new PerformanceObserver((list) => list.getEntries()
        .forEach((e) => (shift += e.hadRecentInput ? 0 : e.value)))
        .observe({ type: 'layout-shift', buffered: true });
}"""


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *args):
        pass


def milliseconds(page, figure):
    """Of each press of an arrow key on what arrow keys move in a figure."""
    times = []
    for moved in figure.locator(".controls input[type=range], .map[tabindex='0']").all():
        moved.focus()
        page.evaluate("times.length = 0")
        for i in range(PRESSES):
            page.keyboard.press("ArrowRight" if i % 8 < 4 else "ArrowLeft")
            # A hand keeps no step with the frames of the screen
            page.wait_for_timeout(random.uniform(40, 60))
        times += page.evaluate("times")
    return times


def report(name, times):
    if not times:  # a figure of buttons
        return
    median = statistics.median(times)
    slow = statistics.quantiles(times, n=20)[-1]
    print(f"  {name:28} median {median:5.1f} ms (16)   95 % below {slow:5.1f} ms (33)")


def compressed(text):
    return len(gzip.compress(text.encode()))


def main(html):
    folder = Path(html).resolve()
    browsers = (
        shutil.which(name)
        for name in ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    )
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print("in brackets, what we hold ourselves to")
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as scratch:
        browser = playwright.chromium.launch(
            executable_path=next(filter(None, browsers)), args=["--no-sandbox"]
        )
        for path in [folder / "index.html", *sorted(folder.glob("chapters/*.html"))]:
            if 'class="tl-figure"' not in path.read_text("utf-8"):
                continue
            page = browser.new_page(viewport={"width": 1280, "height": 900})
            requests = set()
            page.on(
                "request",
                lambda request, requests=requests: requests.add(
                    unquote(urlsplit(request.url).path).lstrip("/")
                ),
            )
            page.add_init_script(f"({WATCH})()")
            page.goto(
                f"http://127.0.0.1:{server.server_port}/{path.relative_to(folder)}",
                wait_until="networkidle",
            )
            figures = page.locator(".tl-figure").all()
            code = page.evaluate(
                "() => [...document.querySelectorAll('.tl-figure > script')].map((s) => "
                "s.textContent).join('')"
            )
            visit = sum(
                len(gzip.compress((folder / f).read_bytes()))
                for f in requests
                if (folder / f).is_file()
            )
            print(
                f"{path.relative_to(folder)}: figures {compressed(code) / 1000:.0f} kB (150), "
                f"first visit {visit / 1000:.0f} kB (800), layout shift "
                f"{page.evaluate('shift'):.4f}"
            )
            for figure in figures:
                report(figure.get_attribute("data-figure"), milliseconds(page, figure))
            page.close()

        words = [f"word{i}" for i in range(64)]
        maps = [torch.randn(1, 4, 64, 64).softmax(-1)]
        file = Path(scratch) / "map.html"
        snapshot = AttentionExplorer.from_maps(encoder=maps, source_tokens=words).snapshot()
        file.write_text(f"<!doctype html><meta charset=utf-8><body>{snapshot}", "utf-8")
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.add_init_script(f"({WATCH})()")
        page.goto(file.as_uri())
        print("a map of 64 x 64")
        report("AttentionExplorer", milliseconds(page, page.locator(".tl-figure")))
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "_build/html")
