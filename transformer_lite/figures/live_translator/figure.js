// The live translator: a sentence goes in, the engine translates it twice, intact and with what the reader switched off,
// and both translations can be read word by word, with what every head looked at.

import { startEngine } from "../engine/client.js";
import { chapterLink, h, quoted, token, widthOf } from "../kit/dom.js";
import { frame, put } from "../kit/frame.js";
import { heading, numbersTable } from "../kit/tables.js";
import { differing, nearest, split, WORD } from "../kit/words.js";

const SPECIAL = 4; // padding, begin, end and unknown come first in a vocabulary
const UNKNOWN = 3;
const ROWS = 24; // that a map shows; a model that is stuck writes many more words
const LISTED = 5;
const PAUSE = 300; // ms without a key: the reader has finished, or wants to see
const PACE = 140; // ms a word, while the reader watches

const figure = {
  render({ model, el }) {
    el.dataset.figure = "LiveTranslator";
    const base = frame(el, model, { redraw: () => draw() });
    const { root, body, say } = base;
    const { site, switches, choices, attentions, beams, hottest } = base.constants;
    const at = (trait) => model.get(trait);
    const [sourceLanguage, targetLanguage] = at("german") ? ["de", "en"] : ["", ""]; // "": not known
    const sourceWord = at("german") ? "German word" : "word of the source";
    const still = matchMedia("(prefers-reduced-motion: reduce)");

    let engine = null;
    let known = null; // config, source and target words, once the weights are there
    let heard = {}; // the text that was read last, and its ids
    let intact = null; // what the engine answered, and what was asked: {steps, maps, source}
    let changed = null;
    let german = split(at("source")); // the words of the sentence that is shown
    let word = 0; // the German word that was chosen
    let shown = Infinity; // how many words are written so far, while the reader watches
    let latest = 0; // the number of the newest question: older answers come too late
    let timers = [];
    let labelled, rowLabels, numbers; // the rows and columns on the map: their names, their nodes, their numbers

    // ---- What there is to see, from top to bottom: the sentence, its translations, what can be broken, the map.

    const input = h("input", {
      name: "source",
      value: at("source"),
      lang: sourceLanguage,
      autocomplete: "off",
      autocapitalize: "off",
      spellcheck: false,
      maxLength: 400,
    });
    const form = h(
      "form",
      { className: "ask" },
      h("label", {}, h("span", {}, at("german") ? "A German sentence" : "A sentence"), input),
      h("button", { type: "submit" }, "Translate"),
    );
    const suggestions = h(
      "div",
      { className: "suggestions", role: "group", "aria-label": "sentences to try" },
      h("span", { className: "note" }, "or try"),
      ...at("sentences").map((sentence) => {
        const button = h("button", { type: "button", lang: sourceLanguage }, token(sentence));
        button.addEventListener("click", () => take(sentence));
        return button;
      }),
    );
    const gloss = h("div", {
      className: "gloss",
      role: "group",
      tabIndex: -1,
      "aria-label": `each ${sourceWord}, with what it means`,
    });
    const problem = h("p", { className: "problem" });

    const line = (role) => h("span", { lang: targetLanguage, "data-role": role });
    const mine = line("translation");
    const plain = line("intact");
    const ending = h("span");
    const verdict = h("p", { className: "ui note verdict" });
    const mineTitle = h("p", { className: "title" });
    const results = h(
      "div",
      { className: "ui results" },
      h(
        "section",
        {},
        mineTitle,
        h("div", { className: "line", role: "group", "aria-label": "words written" }, mine, ending),
      ),
      h(
        "section",
        {},
        heading("Intact model"),
        h(
          "div",
          { className: "line", tabIndex: 0, role: "group", "aria-label": "the intact translation" },
          plain,
        ),
      ),
    );

    const question = (asked, chapter) => [
      h(
        "span",
        { className: "note" },
        asked,
        " ",
        chapterLink(site, chapter, `Chapter ${Number(chapter.slice(0, 2))}`),
      ),
    ];
    const boxes = []; // {part, box}: a tick for each part that can be switched off
    const tick = (part, label, props) => {
      const box = h("input", { type: "checkbox", name: part, ...props });
      box.addEventListener("change", () => {
        put(model, {
          off: box.checked ? at("off").filter((name) => name !== part) : [...at("off"), part],
        });
      });
      boxes.push({ part, box });
      return h("label", { className: "check" }, box, h("span", {}, label));
    };
    const wholes = switches.map(([part, label, asked, chapter]) =>
      h("li", {}, tick(part, label), ...question(asked, chapter)),
    );
    const { layers, heads } = at("sizes");
    const named = (part) => {
      const [stack, layer, attention, head] = part.split(".");
      if (!layer) return `without ${switches.find(([name]) => name === part)[1]}`;
      if (!attention) return `without ${stack} layer ${layer}`;
      return `without head ${head} of ${stack} layer ${layer}, ${attention.replace("_", "-")}`;
    };
    const rows = (name, lines) => {
      const [label, asked, chapter] = choices[name];
      const line = ([title, ...parts]) => [
        h("span", { className: "note" }, title),
        h(
          "span",
          { className: "row" },
          ...parts.map((part, i) => tick(part, i, { "aria-label": `${title}, ${i}` })),
        ),
      ];
      const grid = h(
        "div",
        { className: "ticks", role: "group", "aria-label": label },
        ...lines.flatMap(line),
      );
      return h(
        "li",
        { className: "wide" },
        h("span", {}, label),
        ...question(asked, chapter),
        grid,
      );
    };
    const several = (n, name) => Array.from({ length: n }, (_, i) => `${name}.${i}`);
    const layersOf = (stack) => several(layers, stack);
    const headsOf = (layer) =>
      ["self_attention", "cross_attention"]
        .slice(0, layer.startsWith("encoder") ? 1 : 2)
        .map((name) => [
          `${layer.replace(".", " ")}, ${name.split("_")[0]}`,
          ...several(heads, `${layer}.${name}`),
        ]);
    const stacks = ["encoder", "decoder"];
    const singles = [
      rows(
        "layer",
        stacks.map((stack) => [stack, ...layersOf(stack)]),
      ),
      rows("head", stacks.flatMap(layersOf).flatMap(headsOf)),
    ];
    const slider = (trait, props) => {
      const [label, asked, chapter] = choices[trait];
      const range = h("input", { type: "range", name: trait, ...props });
      const value = h("b");
      range.addEventListener("input", () => put(model, { [trait]: Number(range.value) }));
      const item = h(
        "li",
        {},
        h("label", {}, h("span", {}, `${label} `, value), range),
        ...question(asked, chapter),
      );
      return { trait, range, value, item };
    };
    const sliders = [
      slider("beam", { min: 1, max: beams, step: 1 }),
      slider("temperature", { min: 0, max: hottest, step: 0.1 }),
    ];
    const again = h("button", { type: "button", name: "again" }, "Draw again");
    again.addEventListener("click", () => put(model, { seed: at("seed") + 1 }));
    sliders[1].item.append(again);
    const mend = h("button", { type: "button", name: "mend" }, "Put everything back");
    mend.addEventListener("click", () => {
      put(model, { off: [], beam: 1, temperature: 0 });
      boxes[0].box.focus(); // there is nothing left to put back, and the button is off
    });
    const parts = h(
      "section",
      { className: "ui parts", "aria-label": "what can be changed" },
      h(
        "div",
        { className: "row" },
        heading("Break it", "Untick a part: which words change?"),
        mend,
      ),
      h("ul", {}, ...wholes, ...sliders.map(({ item }) => item), ...singles),
    );

    const card = h("div", { className: "card", hidden: true });
    const numbered = at("experiments").map((experiment, i) => {
      const button = h(
        "button",
        { type: "button", "aria-pressed": false },
        `${i + 1} ${experiment.title}`,
      );
      button.addEventListener("click", () => open(experiment, button));
      return button;
    });
    const lab = h(
      "section",
      { className: "ui lab", hidden: !numbered.length, "aria-label": "experiments" },
      h("div", { className: "row" }, h("p", { className: "title" }, "Experiments"), ...numbered),
      card,
    );
    const open = (experiment, button) => {
      const closing = button.getAttribute("aria-pressed") === "true";
      for (const other of numbered)
        other.setAttribute("aria-pressed", other === button && !closing);
      card.hidden = closing;
      const setUp = h("button", { type: "button", name: "set-up" }, "Set it up");
      setUp.addEventListener("click", () => {
        put(model, { off: [...experiment.off], beam: 1, temperature: 0 });
        take(experiment.source);
      });
      card.replaceChildren(
        h("p", {}, h("b", { lang: "de" }, experiment.source), " ", experiment.text),
        h("p", {}, setUp, " ", experiment.question),
        h("details", {}, h("summary", {}, "Answer"), h("p", {}, experiment.answer)),
      );
    };

    root.prepend(
      h("div", { className: "ui top" }, form, suggestions, gloss, problem),
      results,
      verdict,
    );
    root.querySelector("figcaption").after(lab, parts);

    const title = h("p", { className: "title" });
    const axes = h("p", { className: "note" });
    const map = h("canvas", { className: "pixels" });
    const mark = h("div", { className: "mark" });
    const grid = h("div", { className: "grid" });
    const bars = (name) => ({
      title: h("p", { className: "title" }),
      list: h("ol", { className: "bars", "aria-label": name }),
    });
    const looked = bars("what the word looked at");
    const top = bars("the likeliest words");
    body.className = "body live";
    body.append(
      h("div", { className: "main" }, title, axes, grid),
      h(
        "div",
        { className: "side" },
        ...[top, looked].map(({ title, list }) => h("div", {}, title, list)),
      ),
    );

    // ---- Reading: what was typed, word by word

    const idOf = (text) => {
      const ids = known.ids;
      return (
        ids.get(text) ?? ids.get(text[0] === text[0].toUpperCase() ? lower(text) : upper(text))
      );
    };
    const lower = (text) => text[0].toLowerCase() + text.slice(1);
    const upper = (text) => text[0].toUpperCase() + text.slice(1);
    const meaning = (text) => {
      const table = at("gloss");
      for (const spelling of [text, lower(text), upper(text)]) {
        if (Object.hasOwn(table, spelling)) return table[spelling];
      }
      return null;
    };

    /**
     * Shows the words with their English; returns their ids, or null where there is nothing to translate. The same text
     * once more changes nothing: a button stays under the finger that is pressing it.
     */
    const read = (text) => {
      if (heard.text !== text || heard.known !== known)
        heard = { text, known, ids: understand(text) };
      return heard.ids;
    };
    /** Whether the words above are those of the translation below: a refused sentence has none. */
    const shownNow = () => heard.text === at("source");
    const understand = (text) => {
      const words = split(text);
      const ids = words.map((one) => (known ? (idOf(one) ?? -1) : 0));
      const strange = words.filter((_, i) => ids[i] < 0);
      gloss.replaceChildren(
        ...words.slice(0, 60).map((one, i) => {
          const unknown = ids[i] < 0;
          const english = unknown
            ? h("i", {}, "not known")
            : token(meaning(one) ?? "\u00a0", "english");
          const button = h(
            "button",
            { type: "button", className: unknown ? "unknown" : "" },
            token(one),
            english,
          );
          button.addEventListener("click", () => shownNow() && choose(i));
          return button;
        }),
      );
      problem.replaceChildren();
      if (!words.length) problem.append("Type at least one word.");
      else if (known && words.length > known.config.max_length) {
        problem.append(
          `That is ${words.length} words; this model takes at most ${known.config.max_length}.`,
        );
      } else if (strange.length && !at("knows_unknown")) {
        const near = nearest(strange[0], known.source.slice(SPECIAL)).map((other) => {
          const button = h("button", { type: "button", lang: sourceLanguage }, token(other));
          button.addEventListener("click", () => {
            take(replaced(input.value, strange[0], other));
            gloss.focus(); // the button is gone
          });
          return button;
        });
        const words = known.source.length - SPECIAL;
        problem.append(
          token(strange[0]),
          ` is not one of the ${words} words that it knows. Nearest: `,
          ...near,
        );
      } else {
        if (strange.length)
          problem.append(token(strange[0]), " is not in its vocabulary: it reads <unk>.");
        return ids.map((id) => (id < 0 ? UNKNOWN : id));
      }
      return null;
    };
    /** The text with the first `old` word replaced. */
    const replaced = (text, old, fresh) => {
      const clean = text.normalize("NFC");
      const { index } = [...clean.matchAll(WORD)].find(([one]) => one === old);
      return clean.slice(0, index) + fresh + clean.slice(index + old.length);
    };

    // ---- Asking the engine

    const state = (name) => {
      root.dataset.state = mine.dataset.state = name;
      root.setAttribute("aria-busy", ["working", "writing"].includes(name));
    };
    const stop = () => {
      timers.forEach(clearTimeout);
      timers = [];
      latest++;
    };
    const different = () => at("off").length > 0 || at("beam") > 1 || at("temperature") > 0;

    /** Translates what is typed, and writes it word by word if the reader shall watch. */
    const translate = async (watched) => {
      stop();
      const now = latest;
      const text = input.value;
      const source = read(text);
      if (!known) return state("waiting");
      if (!source) {
        shown = Infinity; // what was being written, to its end
        write();
        draw();
        verdict.textContent = "This is still the translation of the sentence before.";
        say(problem.textContent);
        return state("refused");
      }
      state("working");
      try {
        const whole = await engine.ask("translate", { source, off: [] });
        const request = {
          source,
          off: at("off"),
          beam: at("beam"),
          temperature: at("temperature"),
          seed: at("seed"),
        };
        if (now !== latest) return;
        const broken = different() ? await engine.ask("translate", request) : whole;
        if (now !== latest) return;
        [intact, changed] = [whole, broken];
      } catch (error) {
        if (now !== latest) return;
        problem.textContent = `The engine stopped: ${error.message}`;
        heard = {};
        return state("failed");
      }
      german = split(text);
      word = Math.min(word, german.length - 1);
      const written = changed.steps.map(({ id }) => known.target[id]);
      const last = written.length - 1;
      put(model, { source: text, written, last_step: last, step: Math.min(at("step"), last) });
      if (!watched || still.matches) {
        shown = Infinity;
        return finish();
      }
      state("writing");
      written.forEach((_, i) => {
        timers.push(
          setTimeout(() => {
            shown = i + 1;
            put(model, { step: i });
            if (i === last) return finish();
            write();
            draw();
          }, PACE * i),
        );
      });
    };
    const finish = () => {
      shown = Infinity;
      write();
      draw();
      state("done");
      const text = `Translation: ${mine.textContent}`;
      say(different() ? `${text}. Intact: ${plain.textContent}. ${verdict.textContent}` : text);
    };

    const take = (sentence) => {
      input.value = sentence;
      translate(true);
    };
    /** Something was switched: the same sentence again, at once. */
    const settle = () => {
      controls();
      translate(false);
    };
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      translate(true);
    });
    input.addEventListener("input", () => {
      stop();
      read(input.value);
      state("typing");
      timers.push(setTimeout(() => translate(true), PAUSE));
    });

    // ---- Showing the answers

    const wordsOf = ({ steps }) => steps.map(({ id }) => (known ? known.target[id] : ""));
    const isText = (token) => !["<pad>", "<bos>", "<eos>"].includes(token);

    /** Both translations; in each the words that the other has not are marked. */
    const write = () => {
      const all = changed ? wordsOf(changed) : at("written");
      const other = intact ? wordsOf(intact) : all;
      const differs = differing(all, other);
      const lost = differing(other, all);
      const spaced = (nodes) => nodes.flatMap((node, i) => (i ? [" ", node] : [node]));
      const button = (text, i) => {
        const node = h("button", {
          type: "button",
          className: differs[i] ? "differs" : "",
          "aria-pressed": i === at("step"),
        });
        node.dataset.step = i;
        node.append(text === "<eos>" ? h("span", { className: "note" }, "end") : token(text));
        if (text === "<eos>") node.setAttribute("aria-label", "the end of the sentence");
        node.addEventListener("click", () => {
          if (at("kinds")[at("kind")] === "encoder")
            put(model, { kind: at("kinds").indexOf("cross") });
          put(model, { step: i });
        });
        return node;
      };
      const buttons = all.slice(0, shown).map(button);
      mine.replaceChildren(...spaced(buttons.filter((_, i) => isText(all[i]))));
      ending.replaceChildren(" ", ...buttons.filter((_, i) => !isText(all[i])));
      plain.replaceChildren(
        ...spaced(
          other.flatMap((text, i) => (isText(text) ? [token(text, lost[i] ? "differs" : "")] : [])),
        ),
      );
      results.classList.toggle("one", !different());
      const what = [
        ...at("off").map(named),
        ...(at("beam") > 1 ? [`beam of ${at("beam")}`] : []),
        ...(at("temperature") > 0 && at("beam") === 1
          ? [`temperature ${at("temperature").toFixed(1)}`]
          : []),
      ];
      mineTitle.replaceChildren(
        different() ? `With your changes: ${what.join(", ")}` : "Translation",
      );
      const n = differs.filter(Boolean).length + lost.filter(Boolean).length;
      const counted = n
        ? "The words that differ are bold and underlined by a wave."
        : "Not a word is different.";
      const lot =
        at("temperature") > 0 && at("beam") > 1
          ? " A beam search draws no lots: the temperature waits."
          : "";
      const waiting = {
        undefined: "Loading the translator …",
        0: "The translator's file is missing: reload the page.",
      };
      if (!known)
        verdict.textContent = waiting[at("weights")?.byteLength] ?? "Starting the translator …";
      else
        verdict.textContent = different()
          ? counted + lot
          : "Click a word to see what it looked at.";
    };

    /** The switches as the traits have them. */
    const controls = () => {
      const off = at("off");
      for (const { part, box } of boxes) box.checked = !off.includes(part);
      for (const { trait, range, value } of sliders) {
        range.value = at(trait);
        value.textContent = trait === "beam" ? at(trait) : at(trait).toFixed(1);
      }
      again.hidden = at("temperature") === 0;
      mend.disabled = !different();
    };

    const choose = (i) => {
      word = i;
      put(model, { kind: at("kinds").indexOf("encoder") });
      draw(); // another word of the same kind changes no trait
    };

    /** The names of rows and columns, on the map and in the table of numbers, where they are not those before. */
    const label = (rows, cols) => {
      const names = JSON.stringify([rows, cols]);
      if (names === labelled) return;
      labelled = names;
      const place = (row, column) => `grid-area: ${row} / ${column}`;
      const left = Math.ceil(Math.max(...rows.map((row) => widthOf(row))) * 1.12) + 8;
      grid.style.setProperty("--left", `min(${left}px, 32cqw)`);
      grid.style.setProperty("--cols", cols.length);
      map.style.gridArea = `2 / 2 / ${rows.length + 2} / ${cols.length + 2}`;
      const columnLabels = cols.map((name, j) => {
        const turned = h("span", { className: "turned" }, token(name));
        return h("span", { className: "col", style: place(1, j + 2) }, turned);
      });
      rowLabels = rows.map((name, i) =>
        h("span", { className: "name", style: place(i + 2, 1) }, token(name)),
      );
      grid.replaceChildren(...columnLabels, ...rowLabels, map, mark);
      numbers = numbersTable("weights (rows: queries, columns: keys)", rows, cols);
      base.numbers.replaceChildren(numbers.node);
    };

    /** The map of one head, and what one word of it looked at. */
    const draw = () => {
      const kind = at("kinds")[at("kind")];
      const [layer, head, step] = [at("layer"), at("head"), at("step")];
      const written = changed ? wordsOf(changed) : at("written");
      const rows = (kind === "encoder" ? german : written).slice(0, ROWS);
      const cols = (kind === "decoder" ? ["<bos>", ...written.slice(0, -1)] : german).slice(
        0,
        ROWS,
      );
      const row = kind === "encoder" ? word : step;
      const part = `${kind === "encoder" ? "encoder" : "decoder"}.${layer}`;
      const found = changed?.[kind][layer];
      const all = kind === "encoder" ? german.length : written.length;
      const width = kind === "decoder" ? written.length : german.length;
      const weight = (i, j) =>
        found && (kind === "encoder" || i < shown) ? found.data[(head * all + i) * width + j] : 0;

      title.textContent = `${kind === "cross" ? "Cross" : `${kind[0].toUpperCase()}${kind.slice(1)} self`}-attention, layer ${layer}, head ${head}`;
      const silent =
        at("off").includes(part) || at("off").includes(`${part}.${attentions[kind]}.${head}`);
      const meant = {
        cross: `Row: a word that is written. Column: a ${sourceWord} that it looked at.`,
        decoder: "Row: a word that is written. Column: a word that had been written before it.",
        encoder: `Row: a ${sourceWord}. Column: a ${sourceWord} that it looked at.`,
      }[kind];
      const cut = all > ROWS ? ` The first ${ROWS} of ${all} rows.` : "";
      axes.textContent = silent ? "Switched off: it looks at nothing." : meant + cut;

      label(rows, cols);
      grid.style.setProperty(
        "--rows",
        Math.min(ROWS, Math.max(german.length, at("written").length)),
      );
      mark.style.gridArea = `${row + 2} / 1 / auto / -1`;
      mark.hidden = row >= rows.length;
      rowLabels.forEach((node, i) => node.classList.toggle("on", i === row));
      const weights = rows.flatMap((_, i) => cols.map((_, j) => weight(i, j)));
      base.paint(map, weights, rows.length, cols.length);
      numbers.texts.forEach((text, i) => {
        const shortened = weights[i].toFixed(2);
        if (text.data !== shortened) text.data = shortened;
      });

      const fill = (list, items, chosen) => {
        list.replaceChildren(
          ...items.map(([name, p, i]) => {
            const bar = h("span", { className: "bar" }, h("i", { style: `width:${100 * p}%` }));
            return h(
              "li",
              { className: i === chosen ? "on" : "" },
              token(name),
              bar,
              h("b", {}, p.toFixed(3)),
            );
          }),
        );
      };
      const largest = (values) =>
        values.map((p, i) => [i, p]).sort((a, b) => b[1] - a[1] || a[0] - b[0]);
      const name = (kind === "encoder" ? german : written)[row] ?? "";
      looked.title.replaceChildren(token(name), silent ? " looked at nothing" : " looked at");
      const mineOnly = Array.from({ length: width }, (_, j) => weight(row, j));
      const keys = kind === "decoder" ? ["<bos>", ...written.slice(0, -1)] : german;
      const most = found ? largest(mineOnly).slice(0, LISTED) : [];
      fill(
        looked.list,
        most.map(([j, p]) => [keys[j], p, j]),
        -1,
      );

      const now = changed?.steps[Math.min(step, changed.steps.length - 1)];
      top.title.replaceChildren(
        `Word ${step + 1} of ${written.length}: the likeliest`,
        ...(at("beam") > 1 ? [` (beam of ${at("beam")})`] : []),
      );
      const best = now ? largest(Array.from(now.probabilities)).slice(0, LISTED) : [];
      if (now && !best.some(([id]) => id === now.id))
        best[LISTED - 1] = [now.id, now.probabilities[now.id]];
      fill(
        top.list,
        best.map(([id, p]) => [known.target[id], p, id]),
        now?.id,
      );

      for (const node of results.querySelectorAll("[data-step]")) {
        node.setAttribute("aria-pressed", Number(node.dataset.step) === step);
      }
      gloss.querySelectorAll("button").forEach((node, i) => {
        node.setAttribute("aria-pressed", kind === "encoder" && i === word);
        const strength = kind === "cross" && shownNow() && i < width ? mineOnly[i] : 0;
        node.style.setProperty("--seen", `${Math.round(100 * strength)}%`);
      });
      Object.assign(root.dataset, { kind, layer, head, step });
      if (root.dataset.state === "done" && most.length) {
        const spoken =
          best.length && kind !== "encoder"
            ? `; probability ${now.probabilities[now.id].toFixed(3)}`
            : "";
        say(
          `${quoted(name)} looked most at ${quoted(keys[most[0][0]])}, ${most[0][1].toFixed(3)}${spoken}`,
        );
      }
    };
    map.addEventListener("click", (event) => {
      const { top, height } = map.getBoundingClientRect();
      const row = Math.floor(((event.clientY - top) / height) * map.height);
      if (at("kinds")[at("kind")] === "encoder") choose(row);
      else put(model, { step: Math.min(row, at("last_step")) });
    });

    /** The weights have come. */
    const start = async () => {
      const view = at("weights");
      write();
      if (!view?.byteLength) return state(view ? "failed" : "waiting");
      state("working");
      engine ??= startEngine();
      const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
      try {
        known = await engine.ask("load", { bytes });
      } catch (error) {
        problem.textContent = `The engine did not start: ${error.message}`;
        return state("failed");
      }
      known.ids = new Map(known.source.map((text, id) => [text, id]));
      translate(false);
    };
    model.on("change:weights", start);
    for (const trait of ["kind", "layer", "head", "step"]) model.on(`change:${trait}`, draw);
    for (const trait of ["off", "beam", "temperature", "seed"]) model.on(`change:${trait}`, settle);
    model.on("change:source", () => {
      if (split(at("source")).join(" ") === split(input.value).join(" ")) return;
      take(at("source"));
    });

    controls();
    read(input.value);
    write();
    draw();
    start();
    return () => {
      stop();
      engine?.close();
      base.dispose();
    };
  },
};

export default figure;
