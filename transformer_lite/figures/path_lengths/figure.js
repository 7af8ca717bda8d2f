// Path lengths: a message on its way from the first of n words to the last, in three kinds of layers.

import { guessMark } from "../kit/guess.js";
import { h, svgNode } from "../kit/dom.js";
import { frame } from "../kit/frame.js";
import { numbersTable } from "../kit/tables.js";

const [WIDTH, EDGE] = [320, 8];
const counted = (count, what) => `${count} ${what}${count === 1 ? "" : "s"}`;

// The ways differ in how many places further a step takes the message. A recurrence stays in one row: its steps follow
// each other in time, not from layer to layer.
const WAYS = {
  convolution: {
    height: 88,
    reach: (_, k) => k - 1,
    how: (_, k) => `${counted(k - 1, "word")} a layer`,
  },
  recurrence: { height: 20, reach: () => 1, how: () => "1 word a step", flat: true },
  attention: { height: 48, reach: (n) => n - 1, how: () => "any distance" },
};

// How many places back a message is heard from after so many layers of width ASKED, by each answer for 1,000 words
const ASKED = 3;
const ANSWERS = {
  1: () => Infinity,
  7: (layers) => 3 ** layers - 1,
  500: (layers) => 2 * layers,
  999: (layers) => layers,
};

/** Draws one way; `show` answers with how many steps there are, how many are taken, and the place that is reached.
 * `route` is the path through the places that are reached layer by layer. */
const laneOf = (name, { height, reach, how, flat }) => {
  const [hears, places, way, stops, gone] = ["hears", "places", "way", "stops", "gone"].map(
    (part) => svgNode("path", { class: part }),
  );
  const [goal, message] = ["goal", "message"].map((part) =>
    svgNode("circle", { class: part, r: 5 }),
  );
  const svg = svgNode("svg", { viewBox: `0 0 ${WIDTH} ${height}`, class: "chart", role: "img" });
  svg.append(hears, places, way, stops, goal, gone, message);
  const [rule, count] = [h("span", { className: "plain" }), h("span", { className: "count" })];

  let grid = {};
  const route = (reached) => {
    const { n, rows, x, y } = grid;
    let d = `M${x(0)} ${y(0)}`;
    for (let row = 1, place = 0; row <= rows && place < n - 1; row++) {
      place = Math.min(reached(row), n - 1);
      d += `L${x(place)} ${y(row)}`;
    }
    return d;
  };
  const show = ({ n, k, step }) => {
    const far = reach(n, k);
    const steps = Math.ceil((n - 1) / far);
    const taken = Math.min(step, steps);
    const place = (at) => Math.min(at * far, n - 1);
    const rows = flat ? 0 : steps;
    const [right, up] = [(WIDTH - 2 * EDGE) / (n - 1), rows ? (height - 2 * EDGE) / rows : height];
    const x = (place) => (EDGE + place * right).toFixed(2);
    const y = (row) => (height - EDGE - (rows && row * up)).toFixed(2);
    grid = { n, rows, x, y };
    const at = (step) => `${x(place(step))} ${y(step)}`;
    const all = Array.from({ length: steps + 1 }, (_, i) => i);

    let fans = "";
    for (const i of all.slice(1)) {
      for (let from = Math.max(0, place(i) - far); from <= place(i); from++)
        fans += `M${x(from)} ${y(i - 1)}L${at(i)}`;
    }
    hears.setAttribute("d", fans);
    // A row of dots is one line of dashes without a length; a little longer, so that the last one is not lost.
    const row = (i) => `M${x(0)} ${y(i)}H${Number(x(n - 1)) + 0.1}`;
    places.setAttribute("d", (flat ? [0] : all).map(row).join(""));
    places.setAttribute("stroke-dasharray", `0 ${right}`);
    places.setAttribute("stroke-width", Math.min(5, 0.6 * right, 0.6 * up));
    way.setAttribute("d", `M${all.map(at).join("L")}`);
    stops.setAttribute("d", all.map((i) => `M${at(i)}h0`).join(""));
    stops.setAttribute("stroke-width", Math.min(6, 0.8 * right * far));
    gone.setAttribute("d", `M${all.map((i) => at(Math.min(i, taken))).join("L")}`);
    const put = (circle, step) => {
      circle.setAttribute("cx", x(place(step)));
      circle.setAttribute("cy", y(step));
    };
    put(goal, steps);
    put(message, taken);

    rule.textContent = how(n, k);
    count.textContent =
      taken === steps
        ? `arrived: ${counted(steps, "step")}`
        : `${taken} of ${counted(steps, "step")}`;
    svg.setAttribute("aria-label", `${name}: the message is at word ${place(taken) + 1} of ${n}`);
    return [steps, taken, place(taken) + 1];
  };
  return {
    node: h("section", {}, h("p", { className: "title" }, name, " ", rule, count), svg),
    svg,
    rule,
    count,
    show,
    route,
  };
};

const figure = {
  render({ model, el }) {
    const base = frame(el, model);
    const { root, say } = base;
    const names = Object.keys(WAYS);
    const lanes = names.map((name) => laneOf(name, WAYS[name]));
    const between = h("span", { className: "plain" });
    const [first, last] = base.constants.ends.map((word) => h("span", { lang: "de" }, word));
    const body = h("div", { className: "ways" }, ...lanes.map(({ node }) => node));
    body.append(h("p", { className: "words" }, first, between, last));
    base.body.append(body);
    const [lane] = lanes;
    const dashes = svgNode("svg", { viewBox: "0 0 22 10", width: 22, height: 10 });
    dashes.append(svgNode("line", { x1: 0, x2: 18, y1: 6, y2: 6, class: "guess" }));
    const key = h("span", { className: "key" }, dashes, "your guess");
    lane.rule.after(key);
    const mine = guessMark(
      base,
      model,
      "path",
      ({ guess }) =>
        ANSWERS[guess] && model.get("k") === ASKED ? [{ d: lane.route(ANSWERS[guess]) }] : null,
      key,
    );
    lane.svg.append(mine.node);
    const table = numbersTable("the ways of the message", names, [
      "path length",
      "steps taken",
      "at word",
    ]);
    base.numbers.append(table.node);

    let before = {};
    const update = () => {
      const now = { n: model.get("n"), k: model.get("k"), step: model.get("step") };
      // It glides over one step, and jumps to where a slider puts it.
      body.classList.toggle(
        "glides",
        now.n === before.n && now.k === before.k && now.step === before.step + 1,
      );
      before = now;
      lanes.forEach(({ show }, i) => {
        show(now).forEach((value, j) => {
          table.texts[3 * i + j].data = value;
        });
      });
      mine.draw();
      between.textContent = `${counted(now.n - 2, "word")} between`;
      Object.assign(root.dataset, { words: now.n, width: now.k, step: now.step });
      say(
        `step ${now.step}: ${lanes.map(({ count }, i) => `${names[i]} ${count.textContent}`).join(", ")}`,
      );
    };
    for (const trait of ["n", "k", "step"]) model.on(`change:${trait}`, update);
    update();
    return () => base.dispose();
  },
};

export default figure;
