// A hand that shows, once on a page, that something can be pulled: where the reader first comes to it.

import { svgNode } from "../parts/dom.js";

const SHOWN = Symbol.for("attention by hand: the hand was shown"); // by any figure of the page
const HAND =
  "M9 13V4.5a2 2 0 0 1 4 0V11l6 1.4a3 3 0 0 1 2.3 3.4L20 23H10.5l-5.8-7a2 2 0 0 1 2.9-2.7L9 15z";
const STEPS = [0, 0.25, 0.5, 0.75, 1];

const isInSight = ({ top, bottom, width }) => width > 0 && top >= 0 && bottom <= innerHeight;

/**
 * Shows the hand over the part of `root` that `pulls` finds, as soon as it is in the window, until
 * the reader does anything.
 */
export const showHand = ({ root, ended }, pulls) => {
  const show = (box) => {
    globalThis[SHOWN] = true;
    const home = root.getBoundingClientRect();
    const hand = svgNode(
      "svg",
      { class: "ghost ui", viewBox: "0 0 26 26", "aria-hidden": "true" },
      svgNode("path", { d: HAND }),
    );
    hand.style.left = `${(box.left + box.right) / 2 - home.left - 12}px`;
    hand.style.top = `${(box.top + box.bottom) / 2 - home.top - 4}px`;
    root.append(hand);
    hand.addEventListener("animationend", () => hand.remove());
    for (const act of ["pointerdown", "keydown"]) {
      addEventListener(act, () => hand.remove(), { capture: true, once: true, signal: ended });
    }
  };
  const watch = new IntersectionObserver(
    () => {
      const box = root.querySelector(pulls)?.getBoundingClientRect();
      if (!globalThis[SHOWN] && !(box && isInSight(box))) return;
      watch.disconnect();
      if (!globalThis[SHOWN]) show(box);
    },
    { threshold: STEPS },
  );
  watch.observe(root);
  ended.addEventListener("abort", () => watch.disconnect());
};
