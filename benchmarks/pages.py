"""How heavy and how fast the site's pages are, with a slow connection and processor.

`python benchmarks/pages.py _build/html` opens each page cold in headless Chromium at 1.6 Mbit/s,
150 ms a round trip, and a quarter of this processor's speed, and prints a table: kB received
(compressed), milliseconds to the first figure drawn and to all formulas set, the longest task, and
how far the page shifted while it loaded.
"""

import argparse
import functools
import gzip
import http.server
import shutil
import sys
import threading
from pathlib import Path

WATCH = """
window.seen = {figure: null, formulas: null, task: 0, shift: 0};
new PerformanceObserver(list => list.getEntries().forEach(entry => {
  if (!entry.hadRecentInput) seen.shift += entry.value;
})).observe({type: "layout-shift", buffered: true});
new PerformanceObserver(list => list.getEntries().forEach(entry => {
  seen.task = Math.max(seen.task, entry.duration);
})).observe({type: "longtask", buffered: true});
const look = () => {
  const figure = document.querySelector(".tl-figure")?.shadowRoot;
  if (figure?.querySelector("svg, table, canvas, button")) {
    seen.figure ??= performance.now();
  }
  if (document.readyState !== "loading" && document.querySelector("mjx-container")) {
    document.fonts.ready.then(() => { seen.formulas ??= performance.now(); });
  }
  if (document.readyState !== "complete" || performance.now() < 3000) requestAnimationFrame(look);
};
requestAnimationFrame(look);
"""


class Compressed(http.server.SimpleHTTPRequestHandler):
    """Serves a folder as a web space does: text compressed."""

    def log_message(self, *args):
        pass

    def do_GET(self):
        file = Path(self.translate_path(self.path))
        if not file.is_file():
            return self.send_error(404)
        body = file.read_bytes()
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(str(file)))
        if file.suffix in (".html", ".css", ".js", ".svg", ".json"):
            body = gzip.compress(body)
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def measured(browser, address):
    """What one cold visit of a page gives: kB, the two times, the longest task, the shift."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    devtools = context.new_cdp_session(page)
    received = []
    devtools.on(
        "Network.loadingFinished", lambda event: received.append(event["encodedDataLength"])
    )
    devtools.send("Network.enable")
    throughput = 1.6e6 / 8
    conditions = {
        "offline": False,
        "latency": 150,
        "downloadThroughput": throughput,
        "uploadThroughput": throughput,
    }
    devtools.send("Network.emulateNetworkConditions", conditions)
    devtools.send("Emulation.setCPUThrottlingRate", {"rate": 4})
    page.add_init_script(WATCH)
    page.goto(address, wait_until="load", timeout=60_000)
    page.wait_for_function("performance.now() > 3000")
    seen = page.evaluate("seen")
    context.close()
    return {"kB": sum(received) / 1000, **seen}


def main():
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("site", type=Path, help="the folder of the built site")
    parser.add_argument(
        "pages", nargs="*", help="pages of it, such as chapters/05-masks.html; without, all"
    )
    arguments = parser.parse_args()
    site = arguments.site
    pages = arguments.pages or [
        p.relative_to(site).as_posix() for p in [*site.glob("*.html"), *site.glob("*/*.html")]
    ]
    if missing := [page for page in pages if not (site / page).is_file()] or (
        [] if pages else ["index.html"]
    ):
        parser.error(f"{site} has no {missing[0]}: build the site first (jupyter-book build .)")
    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Compressed, directory=site)
    )
    threading.Thread(target=server.serve_forever, daemon=True).start()
    path = shutil.which("chromium") or shutil.which("google-chrome")
    print(
        "| page | kB | first figure, ms | formulas set, ms | longest task, ms | shift "
        "|\n|---|---|---|---|---|---|"
    )
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        for page in sorted(pages):
            seen = measured(browser, f"http://127.0.0.1:{server.server_port}/{page}")
            figure, formulas = (
                "-" if seen[what] is None else f"{seen[what]:.0f}"
                for what in ("figure", "formulas")
            )
            print(
                f"| {page} | {seen['kB']:.0f} | {figure} | {formulas} | {seen['task']:.0f} | "
                f"{seen['shift']:.3f} |"
            )
        browser.close()
    server.shutdown()


if __name__ == "__main__":
    sys.exit(main())
