"""How fast is the engine in the page, and how surely does it learn?

    python benchmarks/engine.py

Times are medians in headless Chromium on one core, as they are and with the processor throttled to
a quarter. Chromium throttles the page, not its workers, so everything is measured on the page
itself, and the longest task of training in a worker separately. Then every preset of the playground
is trained from ten seeds. Needs a Chromium on the path.
"""

import base64
import shutil
import statistics
from pathlib import Path

from playwright.sync_api import sync_playwright

from attention_by_hand.figures.engine import pack as engine
from attention_by_hand.figures.kit import bundle
from transformer_lite import TransformerConfig, Vocabulary, load_translator
from transformer_lite.data.corpus import TWO_SENTENCES
from transformer_lite.data.grammar import splits
from transformer_lite.training import make_batch

FOLDER = Path(engine.__file__).parent
WORDS = """
    window.finish = (work) => {
        for (;;) {
            const { done, value } = work.next();
            if (done) return value;
        }
    };
    window.timed = (work) => {
        const start = performance.now();
        work();
        return performance.now() - start;
    };
    window.opened = (text) => weights.unpack(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)));
    window.rounds = (steps, run, batch) => {
        const trainer = new training.Trainer(run.config, run.options);
        const losses = [];
        for (let i = 0; i < steps; i++) losses.push(finish(trainer.learn(batch)));
        return { trainer, losses };
    };
    // From which step on it writes the targets to the end (0: it does not), and how alike the
    // encoder's vectors are after the first step (the smallest cosine of two)
    window.learns = (steps, run, batch) => {
        const first = rounds(1, run, batch).trainer;
        const { memory } = new transformer.Transformer(
            first.config, first.weights, { off: first.off }).encode(
            batch.source);
        const [D, cosines] = [memory.shape[2], []];
        const rows = Array.from({ length: memory.data.length / D }, (_, i) =>
            memory.data.slice(i * D, (i + 1) * D));
        const dot = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0);
        for (const a of rows) for (const b of rows)
            cosines.push(dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b)));
        const trainer = new training.Trainer(run.config, run.options);
        const model = new transformer.Transformer(
            trainer.config, trainer.weights, { off: trainer.off });
        const exact = () => batch.source.every((row, i) =>
            Array.from(decoding.greedy(model, row), ({ id }) => id).join()
                === batch.target[i].slice(1).join());
        let right = 0;
        let loss = 0;
        for (let step = 1; step <= steps; step++) {
            loss = finish(trainer.learn(batch));
            if (!exact()) right = 0;
            else if (!right) right = step;
        }
        return { right, alike: Math.min(...cosines), loss };
    };
"""


def playground(n_layers=2, d_model=64, norm_first=False, rate=3e-3, warmup=0, seed=0):
    """What `Trainer` in the page takes, and the batch of the two sentences."""
    source, target = (
        Vocabulary.from_texts(pair[side] for pair in TWO_SENTENCES) for side in (0, 1)
    )
    batch = make_batch(TWO_SENTENCES, source, target)
    sizes = {"d_model": d_model, "d_ff": 4 * d_model, "n_layers": n_layers, "n_heads": 4}
    config = engine.describe(
        TransformerConfig(
            len(source), len(target), dropout=0.0, max_length=16, norm_first=norm_first, **sizes
        )
    )
    run = {"config": config, "options": {"seed": seed, "rate": rate, "warmup": warmup}}
    return run, {"source": batch.source.tolist(), "target": batch.target.tolist()}


COLLAPSE = {"d_model": 128, "rate": 1e-2}  # the chapter's
PRESETS = {
    "the chapter's run": {},
    "the collapse": COLLAPSE,
    "collapse, warm-up over 48 steps": COLLAPSE | {"warmup": 48},
    "collapse, pre-norm": COLLAPSE | {"norm_first": True},
    "collapse, rate 0.001": COLLAPSE | {"rate": 1e-3},
}


def open_engine(browser):
    """A page that has each module of the engine as a variable, and the words above."""
    page = browser.new_page()
    modules = ("decoding", "tensor", "training", "transformer", "weights", "client")
    code, names = bundle.joined(*(FOLDER / f"{name}.js" for name in modules))
    constants = "".join(
        f"window.{module} = {name};" for module, name in zip(modules, names, strict=True)
    )
    page.set_content(f"<!doctype html><script>{code}{constants}{WORDS}</script>")
    return page


def main():
    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        for slower in (1, 4):
            page = open_engine(browser)
            page.context.new_cdp_session(page).send(
                "Emulation.setCPUThrottlingRate", {"rate": slower}
            )
            print(f"processor throttled {slower}x" if slower > 1 else "as it is")
            times(page)
            page.close()
        page = open_engine(browser)
        print("longest task on the page while a worker trains 6+6 layers, d_model 64")
        print(f"  {longest_task(page):.0f} ms (50)")
        print("both sentences right to the end of 64 steps, of ten seeds")
        for name, preset in PRESETS.items():
            runs = [
                page.evaluate("(a) => learns(64, ...a)", playground(**preset, seed=seed))
                for seed in range(10)
            ]
            learnt = [run["right"] for run in runs if run["right"]]
            alike = statistics.median(run["alike"] for run in runs)
            print(f"  {name:32} {len(learnt):2}", end="   ")
            if learnt:
                print(f"from step {min(learnt)} to {max(learnt)} on", end="   ")
            print(f"smallest cosine after the first step, median {alike:.3f}", end="   ")
            print(f"last loss, median {statistics.median(run['loss'] for run in runs):.3f}")
        browser.close()


def times(page):
    translator = load_translator()
    data = base64.b64encode(engine.pack(translator)).decode()
    vocabulary = translator.source_vocabulary
    sentences = [vocabulary.encode(vocabulary.tokenize(german)) for german, *_ in splits().unseen]
    ten = [ids for ids in sentences if len(ids) == 10][:50]
    first, later = page.evaluate(
        """([data, sentences]) => {
            let model;
            const first = timed(() => {
                const { config, weights } = opened(data);
                model = new transformer.Transformer(config, weights);
                Array.from(decoding.greedy(model, sentences[0]));
            });
            const each = () => sentences.map((ids) =>
                timed(() => Array.from(decoding.greedy(model, ids))));
            each();
            return [first, each()];
        }""",
        [data, ten],
    )
    print(f"  weights unpacked and a first sentence     {first:7.1f} ms (300)")
    print(f"  a sentence of ten words, median           {statistics.median(later):7.1f} ms (10)")
    for n_layers, most in ((2, 1200), (6, 4000)):
        step = "(a) => timed(() => rounds(64, ...a))"
        taken = statistics.median(
            page.evaluate(step, playground(n_layers=n_layers)) for _ in range(3)
        )
        print(
            f"  64 steps of {n_layers}+{n_layers} layers, "
            f"d_model 64         {taken:7.0f} ms ({most})"
        )


def longest_task(page):
    """The longest gap between two turns of the page's own loop."""
    return page.evaluate(
        """async ([run, batch]) => {
            const engine = client.startEngine();
            await engine.ask('create', { ...run, batch });
            let [last, longest, training] = [performance.now(), 0, true];
            const { port1, port2 } = new MessageChannel();
            port1.onmessage = () => {
                const now = performance.now();
                [longest, last] = [Math.max(longest, now - last), now];
                if (training) port2.postMessage(0);
            };
            port2.postMessage(0);
            for (let i = 0; i < 64; i++) await engine.ask('train', { steps: 1 });
            training = false;
            engine.close();
            return longest;
        }""",
        playground(n_layers=6),
    )


if __name__ == "__main__":
    main()
