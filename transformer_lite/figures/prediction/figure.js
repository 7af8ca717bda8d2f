// A prediction: choose or place a guess, commit, and only then see the answer, with the guess drawn beside it.

import { CHANGED, erase, keep, kept } from "../kit/guesses.js";
import { h, svgNode } from "../kit/dom.js";
import { frame, put } from "../kit/frame.js";
import { numbersTable } from "../kit/tables.js";

const figure = {
  render({ model, el }) {
    const base = frame(el, model, { menu: false });
    const { root, body, say, constants } = base;
    const at = (trait) => model.get(trait);
    const [number, options, low, high, unit, sizes] = [
      "number",
      "options",
      "low",
      "high",
      "unit",
      "sizes",
    ].map(at);
    const choosing = options.length > 0;
    const written = (value) => `${Number(value.toPrecision(3))}${unit}`.replace("-", "−");
    const placed = (guess) => low + ((high - low) * guess) / constants.steps;
    const named = (guess) => (choosing ? options[guess] : written(placed(guess)));
    const isHit = (guess) =>
      choosing
        ? guess === at("answer")
        : Math.abs(placed(guess) - at("answer")) <= (high - low) / 20;
    const right = choosing ? options[at("answer")] : written(at("answer"));
    const bins = choosing
      ? options
      : Array.from(
          { length: 10 },
          (_, i) => `${written(placed(10 * i))} to ${written(placed(10 * i + 10))}`,
        );

    body.className = "body prediction";
    const name = `guess-${number}`;
    const radios = options.map((_, i) => h("input", { type: "radio", name, value: i }));
    const slider = h("input", {
      type: "range",
      min: 0,
      max: constants.steps,
      value: constants.steps / 2,
    });
    slider.setAttribute("aria-label", at("question"));
    const reading = h("output", { className: "reading", "aria-hidden": "true" }); // the slider says it
    const choices = h(
      "fieldset",
      {},
      h("legend", { className: "question" }, at("question")),
      ...(choosing
        ? radios.map((radio, i) =>
            h("label", { className: "option" }, radio, h("span", {}, options[i])),
          )
        : [h("div", { className: "place" }, slider, reading)]),
    );
    const counters = bins.map((text) =>
      h("input", { type: "number", min: 0, max: 999, value: 0, "aria-label": `hands for ${text}` }),
    );
    const hands = h(
      "div",
      { className: "hands" },
      ...counters.map((counter, i) => h("label", {}, h("span", {}, bins[i]), counter)),
    );
    const commit = h("button", { type: "button", className: "commit" }, "That is my guess");
    const again = h("button", { type: "button", className: "again" }, "Erase my guess");
    const answer = h("div", { className: "answer" });
    body.append(choices, hands, h("p", { className: "buttons" }, commit, again), answer);
    const counts = numbersTable("hands", bins, ["hands"]);
    base.numbers.append(counts.node);

    const chosen = () =>
      choosing ? radios.findIndex((radio) => radio.checked) : Number(slider.value);

    /** Bars of hands or of sizes with the options, or marks on the scale: the guess, and the answer. */
    const drawing = (guess) => {
      const most = Math.max(1, ...at("hands"));
      const sized = sizes.length > 0 && !at("class_mode");
      const [width, row] = [320, sized ? 48 : 26];
      const high_ = bins.length * row;
      const svg = svgNode("svg", { viewBox: `0 0 ${width} ${high_}`, class: "chart", role: "img" });
      svg.setAttribute(
        "aria-label",
        `the answer is ${right}${guess < 0 ? "" : `, your guess ${named(guess)}`}`,
      );
      const share = (value) => Math.min(9, Math.floor((10 * (value - low)) / (high - low)));
      const target = choosing ? at("answer") : share(at("answer"));
      const mine = guess < 0 ? -1 : choosing ? guess : share(placed(guess));
      bins.forEach((text, i) => {
        const y = i * row;
        svg.append(svgNode("text", { x: 24, y: y + 17 }, text));
        const length = (110 * at("hands")[i]) / most;
        if (at("class_mode")) {
          svg.append(
            svgNode("rect", {
              x: 190,
              y: y + 5,
              width: length,
              height: row - 10,
              class: "scaled mark",
            }),
          );
          svg.append(svgNode("text", { x: 195 + length, y: y + 17 }, at("hands")[i]));
        } else if (i === mine)
          svg.append(svgNode("text", { x: 190, y: y + 17, class: "mine" }, "← your guess"));
        if (sized) {
          const long = (220 * sizes[i]) / Math.max(...sizes);
          svg.append(
            svgNode("rect", { x: 24, y: y + 23, width: long, height: 14, class: "scaled mark" }),
          );
          svg.append(svgNode("text", { x: 30 + long, y: y + 35 }, written(sizes[i])));
        }
        if (i === target) svg.append(svgNode("text", { x: 4, y: y + 17, class: "tick" }, "✓"));
      });
      return svg;
    };

    const update = () => {
      const [guess, counting] = [at("guess"), at("class_mode")];
      const open = guess >= 0;
      choices.disabled = open;
      if (choosing && open && !counting) radios[guess].checked = true;
      if (!choosing && open) slider.value = guess;
      reading.textContent = choosing ? "" : written(placed(Number(slider.value)));
      slider.setAttribute("aria-valuetext", reading.textContent);
      hands.hidden = !counting;
      choices.classList.toggle("counting", counting);
      commit.hidden = open;
      commit.disabled = !counting && chosen() < 0;
      commit.textContent = counting ? "Show the answer" : "That is my guess";
      again.hidden = !open;
      again.textContent = counting ? "Ask again" : "Erase my guess";
      at("hands").forEach((count, i) => {
        counts.texts[i].data = count;
      });
      answer.replaceChildren();
      if (open) {
        const verdict = counting
          ? ""
          : isHit(guess)
            ? "You were right. "
            : `Your guess was ${named(guess)}. `;
        answer.append(
          h("p", {}, verdict, h("strong", {}, `The answer: ${right}.`), ` ${at("because")}`),
          drawing(counting ? -1 : guess),
        );
        say(`${verdict}The answer: ${right}. ${at("because")}`);
      }
      Object.assign(root.dataset, { guess, class_mode: counting });
    };

    for (const input of [...radios, slider]) input.addEventListener("input", update);
    counters.forEach((counter, i) => {
      counter.addEventListener("input", () => {
        const value = Math.max(0, Math.min(999, Math.round(Number(counter.value) || 0)));
        put(model, { hands: at("hands").map((count, j) => (j === i ? value : count)) });
      });
      counter.addEventListener("change", () => {
        counter.value = at("hands")[i]; // what is counted, where something else was typed
      });
    });
    commit.addEventListener("click", () => {
      const guess = at("class_mode") ? Math.max(0, chosen()) : chosen();
      const share = choosing ? null : guess / constants.steps;
      const hit = isHit(guess);
      if (!at("class_mode"))
        keep(number, {
          question: at("question"),
          guess: named(guess),
          right,
          hit,
          place: guess,
          share,
        });
      put(model, { guess });
      again.focus();
    });
    again.addEventListener("click", () => {
      if (!at("class_mode")) erase([number]);
      put(model, { guess: -1, hands: bins.map(() => 0) });
      for (const counter of counters) counter.value = 0;
      (radios[0] ?? slider).focus();
    });
    /** The place of the guess that is kept, or -1: another edition may have asked something else under this number. */
    const place = () => {
      const found = kept(number);
      const places = choosing ? options.length : constants.steps + 1;
      return found?.question === at("question") && found.place >= 0 && found.place < places
        ? found.place
        : -1;
    };
    const recall = () => {
      if (!at("class_mode")) put(model, { guess: place() });
    };
    document.addEventListener(CHANGED, recall, { signal: base.ended });
    model.on("change:class_mode", () => put(model, { guess: at("class_mode") ? -1 : place() }));
    model.on("change:guess", () => {
      if (at("guess") < 0) for (const radio of radios) radio.checked = false; // erased, perhaps from elsewhere
    });
    for (const trait of ["guess", "class_mode", "hands"]) model.on(`change:${trait}`, update);
    recall();
    update();
    return () => base.dispose();
  },
};

export default figure;
