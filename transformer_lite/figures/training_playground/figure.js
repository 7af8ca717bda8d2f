// Training playground: the engine learns a few sentences in its worker; the page shows what it would do after each step.

import { startEngine } from "../engine/client.js";
import { guessMark } from "../kit/guess.js";
import { chart } from "../kit/charts.js";
import { tint } from "../kit/colour.js";
import { h, quoted, svgNode, token } from "../kit/dom.js";
import { frame, put } from "../kit/frame.js";
import { dot, signed, softmax } from "../kit/numbers.js";
import { heading, numbersTable, table } from "../kit/tables.js";

const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

const figure = {
  render({ model, el }) {
    const base = frame(el, model);
    const { root, body, say, constants } = base;
    const { choices, presets, own, round } = constants;
    const at = (trait) => model.get(trait);
    const [source, target, floors, { pad_id, eos_id }] = [
      "source",
      "target",
      "floors",
      "config",
    ].map(at);
    const [sourceWords, targetWords] = [at("source_words"), at("target_words")];
    const [sources, targets] = [source, target].map((rows) =>
      rows.map((row) => row.filter((id) => id !== pad_id)),
    );
    const settings = [...Object.keys(presets.default.settings), "seed"];
    const calm = matchMedia("(prefers-reduced-motion: reduce)");

    // ---- The run: what the settings ask for, and how far it has come

    let engine = null;
    // A new one for each start: an answer that comes for an older one is dropped
    let run = null;
    let looks = Promise.resolve();

    const sameSettings = (state) => settings.every((trait) => state[trait] === at(trait));

    function start() {
      const { settings: known, ...look } = at("untrained");
      const mine = {
        step: 0,
        goal: 0,
        losses: [],
        look: known && sameSettings(known) ? look : null,
      };
      run = mine;
      update();
      say("step 0, untrained");
      // One after the other: of many settings that are dragged along, only the last is looked at
      looks = looks.then(async () => {
        if (mine !== run || mine.look) return;
        await begin(mine);
        await see(mine);
      });
    }

    /* Makes the model of a run, once. */
    function begin(mine) {
      engine ??= startEngine();
      const choice = (trait) => choices[trait][at(trait)];
      const config = {
        ...at("config"),
        d_model: at("d_model"),
        d_ff: 4 * at("d_model"),
        n_layers: at("layers"),
        n_heads: Number(choice("heads")),
        dropout: at("dropout"),
        norm_first: choice("norm") === "pre-norm",
      };
      const off = [at("no_layer_norm") && "norm", at("no_feed_forward") && "feed_forward"].filter(
        Boolean,
      );
      const options = { seed: at("seed"), rate: Number(choice("rate")), warmup: at("warmup"), off };
      mine.ready ??= engine.ask("create", { config, options, batch: { source, target } });
      return mine.ready;
    }

    /* Looks at the model as it is now, and draws that. */
    async function see(mine) {
      if (mine !== run) return;
      const asked = [engine.ask("look", { source, target: target.map((row) => row.slice(0, -1)) })];
      for (const ids of sources) asked.push(engine.ask("translate", { source: ids }));
      const [{ logits, memory, cross }, ...translated] = await Promise.all(asked);
      if (mine !== run) return;
      const written = translated.map(({ steps }) => steps.map(({ id }) => id));
      mine.look = { logits, memory, cross, written };
      update();
    }

    /* Trains until `goal`; to pause, the goal is moved to where it stands. */
    async function train(goal) {
      const mine = run;
      mine.goal = goal;
      if (mine.busy) return;
      mine.busy = true;
      update();
      await begin(mine);
      let [seen, cost] = [0, 0];
      while (mine === run && mine.step < mine.goal) {
        const { step, losses } = await engine.ask("train", { steps: 1 });
        mine.step = step;
        mine.losses.push(losses[0]);
        if (!Number.isFinite(losses[0])) mine.goal = step;
        // To look takes time too: a quarter of it at most, and where little shall move, less
        const now = performance.now();
        const due = now - seen > Math.max(calm.matches ? 500 : 0, 3 * cost);
        if (at("slowly") || due || mine.step >= mine.goal) {
          await see(mine);
          [seen, cost] = [performance.now(), performance.now() - now];
        }
        if (at("slowly")) await wait(150);
      }
      mine.busy = false;
      if (mine !== run) return;
      update();
      say(`step ${mine.step}, loss ${lossText()}. ${translations().map(quoted).join(", ")}`);
    }

    // ---- What is seen of it

    const loss = () => run.losses.at(-1) ?? run.look?.loss ?? untrainedLoss();

    function lossText() {
      const now = loss();
      if (Number.isFinite(now)) return now < 0.0001 ? now.toExponential(1) : now.toFixed(4);
      return run.losses.length ? "infinite: the weights have burst" : "…";
    }

    /* The mean surprise at the right words, from the logits. */
    function untrainedLoss() {
      if (!run.look) return NaN;
      const all = targets.flatMap((ids, b) =>
        ids.slice(1).map((id, t) => -Math.log(next(b, t)[id])),
      );
      return all.reduce((sum, x) => sum + x, 0) / all.length;
    }

    /* The probabilities of all words at one place. */
    function next(sentence, place) {
      const { shape, data } = run.look.logits;
      const from = (sentence * shape[1] + place) * shape[2];
      return softmax(Array.from(data.slice(from, from + shape[2])));
    }

    function translations() {
      const text = (ids) => ids.map((id) => (id === eos_id ? "" : `${targetWords[id]} `)).join("");
      return run.look
        ? run.look.written.map((ids) => `${text(ids)}${ids.includes(eos_id) ? "" : "…"}`.trim())
        : [];
    }

    const unit = (vector) => {
      const length = Math.sqrt(dot(vector, vector)) || 1;
      return vector.map((x) => x / length);
    };

    /* The encoder's vectors of a sentence's words, each of length 1. */
    function vectors(sentence) {
      const { shape, data } = run.look.memory;
      const from = (i) => (sentence * shape[1] + i) * shape[2];
      return sources[sentence].map((_, i) =>
        unit(Array.from(data.slice(from(i), from(i) + shape[2]))),
      );
    }

    /* The mean cosine of every two words of all sentences. */
    function likeness() {
      const all = sources.flatMap((_, sentence) => vectors(sentence));
      const sum = all.reduce((total, v) => total.map((x, i) => x + v[i]));
      return all.length > 1 ? (dot(sum, sum) - all.length) / (all.length * (all.length - 1)) : 1;
    }

    // ---- The picture

    const actions = {
      train: ["▶ train", () => train(round * (Math.floor(run.step / round) + 1))],
      pause: ["❚❚ pause", () => Object.assign(run, { goal: run.step })],
      step: ["one step", () => run.busy || train(run.step + 1)],
      reset: ["start again", start],
    };
    const buttons = Object.entries(actions).map(([action, [text, act]]) => {
      const button = h("button", { type: "button", "data-action": action }, text);
      button.addEventListener("click", act);
      return button;
    });
    const stored = (values) =>
      Object.fromEntries(
        Object.entries(values).map(([k, v]) => [k, choices[k] ? choices[k].indexOf(v) : v]),
      );
    const presetButtons = Object.entries(presets).map(([name, preset]) => {
      const button = h("button", { type: "button", "data-preset": name }, name);
      button.addEventListener("click", () => {
        put(model, stored(preset.settings));
        put(model, { layer: at("last_layer") });
      });
      return button;
    });
    const promises = [...Object.values(presets).map(({ text }) => text), own].map((text) =>
      h("p", {}, text),
    );

    const counter = h("p", { className: "title counter" });
    const drawn = h("div", { className: "curve" });
    let curve = null;
    const beside = (floor, y) => (floor === 1 ? y + 11 : y - 4); // the first two lie close to each other

    // The reader's guess is the loss of one of the floors; its words stand on the same side of the line as the name.
    const mine = guessMark(base, model, "line", ({ guess }) => {
      const levels = Object.values(floors);
      const i = levels.findIndex((level) => Math.abs(level - Number.parseFloat(guess)) < 0.001);
      if (i < 0) return null;
      const [x1, x2, y] = [curve.x(0), curve.x(curve.last), curve.y(levels[i])];
      return [
        { x1, x2, y1: y, y2: y },
        { x: (x1 + x2) / 2, y: beside(i, y), "text-anchor": "middle" },
      ];
    });

    /* The axes of so many steps, with the floors. */
    function axes(last) {
      const [low, high] = [0.0005, 12];
      const lines = chart({
        label: "loss of each step",
        x: [0, last],
        y: [low, high],
        xTicks: [0, 1, 2, 3, 4].map((quarter) => (quarter * last) / 4),
        yTicks: [0.001, 0.01, 0.1, 1, 10],
        width: 420,
        height: 210,
        log: true,
      });
      lines.node.classList.add("wide");
      Object.entries(floors).forEach(([name, level], i) => {
        if (level < 2 * low) return;
        const [x1, x2, y] = [lines.px(0), lines.px(last), lines.py(level)];
        const place = { x: x2, y: beside(i, y), "text-anchor": "end" };
        lines.node.append(svgNode("line", { x1, x2, y1: y, y2: y, class: "cursor level" }));
        lines.node.append(svgNode("text", place, `${name} ${level.toFixed(level < 1 ? 4 : 2)}`));
      });
      const [path, end] = [
        svgNode("path", { class: "line second" }),
        svgNode("circle", { r: 4, class: "mark solid second" }),
      ];
      lines.node.append(path, end, mine.node);
      drawn.replaceChildren(lines.node);
      const within = (value) => lines.py(Math.min(high, Math.max(low, value)));
      return { last, path, end, x: lines.px, y: within };
    }

    const writes = sources.map((ids) => {
      const now = h("b", { className: "token" });
      const verdict = h("span", { className: "verdict" });
      const words = ids.flatMap((id) => [" ", token(sourceWords[id])]);
      return {
        now,
        verdict,
        node: h(
          "li",
          {},
          h("span", { className: "from" }, ...words),
          h("span", { className: "to" }, now, verdict),
        ),
      };
    });

    const turned = (text) =>
      h("span", { className: "col" }, h("span", { className: "turned" }, token(text)));
    const percent = (value) =>
      Number.isFinite(value) ? signed(Math.round(100 * value) || 0, 0) : "–";

    /* A grid of percentages that is made anew for each sentence. */
    function grid(className, rows, cols) {
      const heads = rows.map((word) => token(word));
      const { node, cells } = table(heads, cols.map(turned), { className });
      const texts = cells.map((row) =>
        row.map((cell) => cell.appendChild(document.createTextNode(""))),
      );
      return {
        node,
        cells,
        fill(i, j, value) {
          const text = percent(value);
          if (texts[i][j].data === text) return;
          texts[i][j].data = text;
          cells[i][j].style.background = tint(value);
        },
      };
    }

    const panel = (name, label) => {
      const [title, place] = [h("p", { className: "title" }), h("div", { className: "place" })];
      const node = h(
        "section",
        { className: `panel ${name}`, tabIndex: 0, "aria-label": label },
        title,
        place,
      );
      return { node, title, place };
    };
    const nextPanel = panel("next", "what comes next");
    const crossPanel = panel("cross", "cross-attention");
    const alikePanel = panel("alike", "how alike the encoder's vectors are");
    let grids = null;
    let tables = null;

    /* The grids and the tables of numbers for the words of one sentence. */
    function lay(sentence) {
      const words = sources[sentence].map((id) => sourceWords[id]);
      const [read, answers] = [targets[sentence].slice(0, -1), targets[sentence].slice(1)].map(
        (ids) => ids.map((id) => targetWords[id]),
      );
      grids = {
        sentence,
        next: grid("", read, targetWords),
        cross: grid("", answers, words),
        alike: grid("", words, words),
      };
      grids.next.cells.forEach((row, t) => row[targets[sentence][t + 1]].classList.add("chosen"));
      nextPanel.place.replaceChildren(grids.next.node);
      crossPanel.place.replaceChildren(grids.cross.node);
      alikePanel.place.replaceChildren(grids.alike.node);
      tables = {
        next: numbersTable(
          "probability of each word (columns) after each word (rows)",
          read,
          targetWords,
        ),
        cross: numbersTable("cross-attention", answers, words),
        alike: numbersTable("cosine of the encoder's vectors", words, words),
      };
      base.numbers.replaceChildren(...Object.values(tables).map(({ node }) => node), lossTable);
    }

    const lossRows = h("tbody");
    const lossHead = h(
      "thead",
      {},
      h("tr", {}, h("th", { scope: "col" }, "step"), h("th", { scope: "col" }, "loss")),
    );
    const lossTable = h("table", {}, h("caption", {}, "loss before each step"), lossHead, lossRows);

    body.className = "body playground";
    body.append(
      h(
        "div",
        { className: "ui presets", role: "group", "aria-label": "presets" },
        ...presetButtons,
      ),
      h("div", { className: "promise note" }, ...promises),
      h("div", { className: "ui actions", role: "group", "aria-label": "training" }, ...buttons),
      counter,
      h(
        "div",
        { className: "pair" },
        drawn,
        h(
          "section",
          {},
          heading("what it would write now"),
          h("ul", { className: "writes" }, ...writes.map(({ node }) => node)),
        ),
      ),
      h("div", { className: "panels" }, nextPanel.node, crossPanel.node, alikePanel.node),
    );

    const plain = (text) => h("span", { className: "plain" }, text);

    function update() {
      const [sentence, layer, head] = [at("sentence"), at("layer"), at("head")];
      const { step, losses, look, busy = false } = run;
      if (grids?.sentence !== sentence) lay(sentence);

      const chosen = Object.values(presets).findIndex(({ settings }) =>
        Object.entries(stored(settings)).every(([trait, value]) => at(trait) === value),
      );
      presetButtons.forEach((button, i) => button.setAttribute("aria-pressed", i === chosen));
      const promise = chosen < 0 || !at("measured") ? promises.length - 1 : chosen;
      promises.forEach((text, i) => text.classList.toggle("on", i === promise));
      const steps = round * Math.max(1, Math.ceil(step / round));
      if (curve?.last !== steps) curve = axes(steps);
      mine.draw();
      const finite = losses.filter(Number.isFinite);
      const points = finite.map(
        (value, i) => `${i ? "L" : "M"}${curve.x(i + 1).toFixed(1)} ${curve.y(value).toFixed(1)}`,
      );
      curve.path.setAttribute("d", points.join(""));
      curve.end.style.display = finite.length ? "" : "none";
      curve.end.setAttribute("cx", curve.x(finite.length));
      curve.end.setAttribute("cy", curve.y(finite.at(-1) ?? 1));

      buttons[0].textContent = `${actions.train[0]}${at("slowly") ? " slowly" : ""}`;
      const [now, texts] = [loss(), translations()];
      counter.replaceChildren(
        `step ${step}, loss ${lossText()} `,
        plain(step ? "before this step" : "untrained"),
      );
      writes.forEach(({ now, verdict }, i) => {
        const right = look && look.written[i].join() === targets[i].slice(1).join();
        now.textContent = texts[i] ?? "…";
        now.title = texts[i] ?? "";
        verdict.textContent = look ? (right ? " ✓" : " ✗") : "";
        verdict.title = right ? "right" : "wrong";
      });

      const alike = look ? likeness() : NaN;
      nextPanel.title.replaceChildren(
        "what comes next ",
        plain("after each word, in percent; the right word is outlined"),
      );
      crossPanel.title.replaceChildren(
        "cross-attention ",
        plain(`layer ${layer}, head ${head}; rows: the words to write`),
      );
      const mean = Number.isFinite(alike) ? signed(alike, 2) : "–";
      alikePanel.title.replaceChildren(
        `mean cosine ${mean} `,
        plain("of the encoder's vectors; here in hundredths"),
      );
      fill(sentence, layer, head);

      while (lossRows.rows.length > losses.length) lossRows.lastChild.remove();
      for (let i = lossRows.rows.length; i < losses.length; i++) {
        lossRows.append(
          h("tr", {}, h("th", { scope: "row" }, `${i + 1}`), h("td", {}, losses[i].toFixed(6))),
        );
      }
      for (const trait of [...settings, "sentence", "layer", "head", "slowly"])
        root.dataset[trait] = at(trait);
      Object.assign(root.dataset, {
        step,
        loss: Number.isFinite(now) ? now : "",
        alike: Number.isFinite(alike) ? alike : "",
        translations: JSON.stringify(texts),
        state: busy ? "training" : "idle",
      });
    }

    /* Every number of the grids, and of the tables. */
    function fill(sentence, layer, head) {
      const { look } = run;
      const put = (name, i, j, value) => {
        const grid = grids[name];
        grid.fill(i, j, value);
        tables[name].texts[i * grid.cells[0].length + j].data = Number.isFinite(value)
          ? value.toFixed(5)
          : "–";
      };
      grids.next.cells.forEach((row, t) => {
        const p = look ? next(sentence, t) : [];
        row.forEach((_, id) => put("next", t, id, p[id]));
      });
      const map = look?.cross[layer];
      const place = ([, heads, queries, keys], t) =>
        ((sentence * heads + head) * queries + t) * keys;
      grids.cross.cells.forEach((row, t) => {
        row.forEach((_, s) => put("cross", t, s, map?.data[place(map.shape, t) + s]));
      });
      const all = look && vectors(sentence);
      grids.alike.cells.forEach((row, i) => {
        row.forEach((_, j) => put("alike", i, j, all && dot(all[i], all[j])));
      });
    }

    const listeners = [
      ...settings.map((trait) => [`change:${trait}`, start]),
      ...["sentence", "layer", "head", "slowly"].map((trait) => [
        `change:${trait}`,
        () => update(),
      ]),
    ];
    for (const [event, listener] of listeners) model.on(event, listener);
    start();
    return () => {
      for (const [event, listener] of listeners) model.off(event, listener);
      run = null;
      engine?.close();
      base.dispose();
    };
  },
};

export default figure;
