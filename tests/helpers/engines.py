"""The figures in Firefox, which is driven over WebDriver BiDi, a socket that it opens itself.

Each control is moved by a key: the picture must change, and the state come back. The live
translator must translate what is typed, the playground must learn; what an example saves must look
as on the screen.
"""

import base64
import contextlib
import io
import itertools
import json
import re
import shutil
import subprocess
import tempfile
import threading
from pathlib import Path

import numpy as np
from figure_examples import BUSY, DRAWN, EXAMPLES, SAVED
from pictures import ALONE, AS_SAVED, differences
from PIL import Image
from websocket import create_connection

from transformer_lite import load_translator

KEYS = {
    "Enter": "\ue006",
    "End": "\ue010",
    "Home": "\ue011",
    "ArrowLeft": "\ue012",
    "ArrowUp": "\ue013",
}
KEYS |= {"ArrowRight": "\ue014", "ArrowDown": "\ue015", "Space": " ", "Tab": "\ue004"}
SIZE = {"width": 1000, "height": 1800}
PATIENCE = 60  # seconds


class EngineError(Exception):
    """The browser did not start, or refused what it was asked."""


def keystrokes(keys):
    """What both protocols call a sequence of actions: the keys, one after the other."""
    actions = [
        {"type": kind, "value": KEYS.get(key, key)} for key in keys for kind in ("keyDown", "keyUp")
    ]
    return [{"type": "key", "id": "keyboard", "actions": actions}]


class Firefox:
    """A headless Firefox with one page, without any way to other hosts than this one."""

    names = ("firefox-esr", "firefox")
    preferences = {
        "app.normandy.enabled": False,
        "browser.aboutwelcome.enabled": False,
        "browser.shell.checkDefaultBrowser": False,
        "datareporting.policy.dataSubmissionEnabled": False,
        "network.captive-portal-service.enabled": False,
        "network.proxy.allow_hijacking_localhost": False,
        "network.proxy.http": "127.0.0.1",
        "network.proxy.http_port": 9,
        "network.proxy.ssl": "127.0.0.1",
        "network.proxy.ssl_port": 9,
        "network.proxy.type": 1,
        "remote.active-protocols": 1,
    }

    def __init__(self):
        path = next(filter(None, map(shutil.which, self.names)), None)
        if path is None:
            raise EngineError(
                f"no Firefox on the PATH (looked for {', '.join(self.names)}): apt-get install "
                "firefox-esr"
            )
        self.errors = []
        self.foreign = []
        self._numbers = itertools.count(1)
        self._profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        settings = [
            f"user_pref({json.dumps(k)}, {json.dumps(v)});\n" for k, v in self.preferences.items()
        ]
        Path(self._profile.name, "user.js").write_text("".join(settings), "utf-8")
        command = [
            path,
            "--headless",
            "--no-remote",
            "--profile",
            self._profile.name,
            "--remote-debugging-port",
            "0",
        ]
        self._process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        )
        address = None
        patience = threading.Timer(PATIENCE, self._process.kill)
        patience.start()
        for line in self._process.stderr:
            if found := re.search(r"WebDriver BiDi listening on (ws://\S+)", line):
                address = found[1]
                break
        patience.cancel()
        if address is None:
            raise EngineError(
                f"{path} ended with {self._process.wait()} before it could be asked anything"
            )
        threading.Thread(
            target=self._process.stderr.read, daemon=True
        ).start()  # or the pipe would fill
        self._socket = create_connection(
            f"{address}/session", timeout=PATIENCE, suppress_origin=True
        )
        self.name = "Firefox {browserVersion}".format(
            **self._ask("session.new", capabilities={})["capabilities"]
        )
        self._ask("session.subscribe", events=["log.entryAdded", "network.beforeRequestSent"])
        # The first one never has the focus
        self._page = self._ask("browsingContext.create", type="tab")["context"]
        self._ask("browsingContext.setViewport", context=self._page, viewport=SIZE)

    def _ask(self, method, **params):
        number = next(self._numbers)
        self._socket.send(json.dumps({"id": number, "method": method, "params": params}))
        while True:
            answer = json.loads(self._socket.recv())
            if answer.get("id") == number:
                break
            self._heard(answer)
        if answer["type"] == "error":
            raise EngineError(f"{method}: {answer['message']}")
        return answer["result"]

    def _heard(self, event):
        params = event.get("params", {})
        if event.get("method") == "log.entryAdded" and params["level"] == "error":
            self.errors.append(params["text"])
        if event.get("method") == "network.beforeRequestSent" and params.get("context"):
            address = params["request"]["url"]
            if re.match(r"(https?|wss?)://(?!127\.0\.0\.1[:/])", address):
                self.foreign.append(address)

    def open(self, address):
        self.errors.clear(), self.foreign.clear()
        self._ask("browsingContext.navigate", context=self._page, url=address, wait="complete")

    def run(self, function, *arguments):
        """What an (async) function of JavaScript returns for these arguments, all of them JSON."""
        call = (
            "(async () => JSON.stringify((await "
            f"({function})(...{json.dumps(arguments)})) ?? null))()"
        )
        found = self._ask(
            "script.evaluate", expression=call, target={"context": self._page}, awaitPromise=True
        )
        if found["type"] == "exception":
            raise EngineError(found["exceptionDetails"]["text"])
        return json.loads(found["result"]["value"])

    def press(self, *keys):
        self._ask("input.performActions", context=self._page, actions=keystrokes(keys))

    def picture(self):
        return image(self._ask("browsingContext.captureScreenshot", context=self._page)["data"])

    def close(self):
        with contextlib.suppress(EngineError, OSError):
            self._ask("browser.close")
        self._socket.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._profile.cleanup()


def image(data):
    """A screenshot as an array of (height, width, 3)."""
    return np.asarray(Image.open(io.BytesIO(base64.b64decode(data))).convert("RGB"))


# ------------------------------------------------------------------------------------------- what
# is tried in a page

READY = f"""async () => {{
    const homes = [...document.querySelectorAll('.tl-figure')];
    for (const fold of document.querySelectorAll('details')) fold.open = true;
    for (let i = 0; i < 600; i++) {{
        const isDrawn = (home) => home.shadowRoot?.querySelector('.body') && !({BUSY})(home);
        if (homes.every(isDrawn)) break;
        await new Promise((resolve) => setTimeout(resolve, 50));
    }}
    const folds = homes.flatMap((home) => [...home.shadowRoot.querySelectorAll('details.fold')]);
    for (const fold of folds) fold.open = true;
    window.still = async (home) => {{
        const pause = () => new Promise((resolve) => setTimeout(resolve, 20));
        for (let i = 0; i < 600 && ({BUSY})(home); i++) await pause();
        return JSON.stringify(({DRAWN})(home));
    }};
    window.state = (home) => JSON.stringify(home.shadowRoot.querySelector('figure').dataset);
    const enabled = '.controls :is(input, select):enabled';
    window.controls = (i) => [...homes[i].shadowRoot.querySelectorAll(enabled)];
    const named = (input) => input.labels[0].innerText.trim();
    return homes.map((home, i) => [home.dataset.figure, controls(i).map(named)]);
}}"""
# Where a control stands, and what its figure shows; the two keys that move it there and back
FOCUS = """async (i, j) => {
    const home = document.querySelectorAll('.tl-figure')[i];
    const input = controls(i)[j];
    input.scrollIntoView({ block: 'center' });
    input.focus();
    window.before = { picture: await still(home), state: state(home) };
    const [at, last] = input.type === 'range'
        ? [input.value, input.max]
        : [input.selectedIndex, input.length - 1];
    const keys = input.type === 'checkbox' ? ['Space', 'Space']
        : input.type === 'range' ? ['ArrowRight', 'ArrowLeft'] : ['ArrowDown', 'ArrowUp'];
    return Number(at) === Number(last) ? keys.reverse() : keys;
}"""
# Whether a figure comes to show something else than before, or to be again in the state it was in
MOVED = """async (i, back) => {
    const home = document.querySelectorAll('.tl-figure')[i];
    for (let turn = 0; turn < 250; turn++) {
        const picture = await still(home);
        if (back ? state(home) === before.state : picture !== before.picture) return true;
        await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return false;
}"""


def walked(engine):
    """Moves every control of every figure of the open page; ([names of the figures], [what went
    wrong]).
    """
    figures = engine.run(READY)
    wrong = []
    for i, (name, labels) in enumerate(figures):
        if name == "LiveTranslator":
            wrong += translated(engine, i)
        for j, label in enumerate(labels):
            there, back = engine.run(FOCUS, i, j)
            engine.press(there)
            if not engine.run(MOVED, i, False):
                wrong.append(f"{name}: {there} on {label!r} changes nothing")
            engine.press(back)
            if label != "sentence" and not engine.run(MOVED, i, True):
                wrong.append(f"{name}: {back} on {label!r} does not bring back what was shown")
        if name == "TrainingPlayground":
            wrong += learnt(engine, i)
    wrong += [f"error: {text}" for text in engine.errors] + [
        f"asked for {address}" for address in engine.foreign
    ]
    return [name for name, _ in figures], wrong


def translated(engine, i):
    """Types a sentence into a live translator, with the keys."""
    engine.run(
        """async (i) => {
            const home = document.querySelectorAll('.tl-figure')[i];
            home.scrollIntoView();
            const part = (name) => home.shadowRoot.querySelector(name);
            window.until = async (right) => {
                for (let turn = 0; turn < 1000 && !right(); turn++) {
                    await new Promise((resolve) => setTimeout(resolve, 20));
                }
                return right();
            };
            const { dataset } = part('figure');
            window.done = () => dataset.state === 'done';
            window.text = () => dataset.written;
            await until(done);
            part('.fresh').click();
        }""",
        i,
    )
    sentence = "heute kann sie meine Schwester nicht anrufen ."
    expected = load_translator().translate(sentence).text
    engine.press(*sentence, "Enter")
    line = engine.run(
        "async (line) => { await until(() => done() && text() === line); return text(); }", expected
    )
    return [] if line == expected else [f"LiveTranslator: wrote {line!r}, not {expected!r}"]


def learnt(engine, i):
    """Plays the playground for a round; the loss must fall to a tenth."""
    engine.run(
        """async (i) => {
            const home = document.querySelectorAll('.tl-figure')[i];
            window.figureData = home.shadowRoot.querySelector('figure').dataset;
            window.firstLoss = Number(figureData.loss);
            home.shadowRoot.querySelector('[data-action=play]').focus();
        }""",
        i,
    )
    engine.press("Enter")
    step, first, last = engine.run(
        """async () => {
            for (let turn = 0; turn < 1500; turn++) {
                if (figureData.step === '64' && figureData.state === 'idle') break;
                await new Promise((resolve) => setTimeout(resolve, 20));
            }
            return [figureData.step, firstLoss, Number(figureData.loss)];
        }"""
    )
    return (
        []
        if step == "64" and last < first / 10
        else [f"TrainingPlayground: step {step}, loss {first} to {last}"]
    )


# What is shown again plays its entry again: a picture is taken when that has ended
PLAYED = """async () => {
    const roots = [...document.querySelectorAll('.tl-figure')].map((home) => home.shadowRoot);
    await Promise.all(roots.flatMap((root) => root.getAnimations()).map((one) => one.finished));
}"""


def saved(engine, figures):
    """What is wrong with the picture that each figure of the page saves."""
    wrong = []
    for i, name in enumerate(figures):
        if name not in SAVED:
            continue
        width, height = engine.run(ALONE, i)
        engine.run(PLAYED)
        screen = engine.picture()[:height, :width]
        _, problem = engine.run(AS_SAVED, i)
        found = differences(screen, engine.picture()[:height, :width], lines=0.003)
        engine.run("() => restore()")
        wrong += [f"{name}, saved: {text}" for text in [problem, *found] if text]
    return wrong


def page_of_examples(folder, names):
    """A page with the examples of these figures, as a file."""
    body = "".join(f"<p>Before.</p>{EXAMPLES[name].make().snapshot()}" for name in names)
    file = Path(folder) / "examples.html"
    file.write_text(
        f"<!doctype html><html lang=en><meta charset=utf-8><title>figures</title><body>{body}",
        "utf-8",
    )
    return file
