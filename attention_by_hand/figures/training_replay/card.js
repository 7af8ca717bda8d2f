// What one run wrote after a step, and where one head of its model looked.

import { tint } from "../kit/parts/colour.js";
import { h, token } from "../kit/parts/dom.js";
import { sentencesOf } from "../kit/shared/sentences.js";
import { table } from "../kit/parts/tables.js";
import { lossText } from "../kit/shared/zones.js";
import { KINDS } from "./plot.js";

const nameOf = (name, run, ...more) =>
  h("p", { className: "run" }, h("i", { className: KINDS[run % 3] }), token(name), ...more);

/**
 * What a run wrote, and where it looked: {writing, map, update(step, head)}, the first two to be
 * put in place.
 */
export const cardOf = (data, name, run) => {
  const { losses, rows, columns, sources, targets, written, bytes } = data;
  const value = h("span", { className: "loss" });
  const sentences = sentencesOf(sources, targets, 18);
  const writing = h("section", { className: `by ${KINDS[run % 3]}` }, nameOf(name, run, value));
  writing.style.setProperty("--run", run);
  if (sources.length) writing.append(sentences.node);
  const { node, cells } = table(
    rows.map((word) => token(word)),
    columns.map((word) => token(word)),
  );
  const head = h("span", { className: "plain" });
  const panel = { className: "panel", tabIndex: 0, "aria-label": `weights of ${name}` };
  const map = h("section", panel, nameOf(name, run, head), node);
  const update = (step, chosen) => {
    value.textContent = `loss ${lossText(losses[run][step])}`;
    head.textContent = `where head ${chosen} looks`;
    if (sources.length) sentences.show(written[run][step]);
    bytes(run, step, chosen).forEach((byte, k) => {
      const cell = cells[Math.floor(k / columns.length)][k % columns.length];
      cell.textContent = (byte / 255).toFixed(2);
      cell.style.background = tint(byte / 255);
      cell.classList.toggle("none", byte < 2);
    });
  };
  return { writing, map, update };
};
