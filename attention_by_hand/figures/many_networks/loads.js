// The networks in a column: how many tokens each is sent, and which of them work for the one in the
// hand.

import { h } from "../kit/parts/dom.js";

const percent = (share) => `${Math.round(100 * share)}\u00a0%`;

const LONGEST = 82; // of a track, in per cent: the rest is for the number

/** {node, update({load, chosen, shares})} */
export const loadsOf = (networks) => {
  const bars = networks.map(() => h("span", { className: "bar" }));
  const counts = networks.map(() => h("span", { className: "count" }));
  const shares = networks.map(() => h("b"));
  const rows = networks.map((_, i) =>
    h(
      "li",
      { className: "network" },
      h("span", { className: "name" }, `${i + 1}`),
      h("span", { className: "track" }, bars[i], counts[i]),
      shares[i],
    ),
  );
  const node = h("ol", { className: "networks", "aria-label": "the networks" }, ...rows);
  const update = ({ load, chosen, shares: mixed }) => {
    const most = Math.max(...load);
    const mean = load.reduce((a, b) => a + b, 0) / load.length;
    node.style.setProperty("--equal", `${(LONGEST * mean) / most}%`);
    rows.forEach((row, i) => {
      const place = chosen.indexOf(i);
      row.classList.toggle("works", place >= 0);
      row.classList.toggle("idle", load[i] === 0);
      bars[i].style.width = `${(LONGEST * load[i]) / most}%`;
      counts[i].textContent = `${load[i]}`;
      shares[i].textContent = place < 0 ? "" : percent(mixed[place]);
    });
  };
  return { node, update };
};
