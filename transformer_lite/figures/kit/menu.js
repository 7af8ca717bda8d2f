// What one seldom needs of a figure, out of sight behind three dots: its numbers, a picture of it,
// a link to its state.

import { h } from "./dom.js";
import { toPNG, toSVG } from "./save.js";

const KINDS = {
  SVG: (figure) => new Blob([toSVG(figure)], { type: "image/svg+xml" }),
  PNG: toPNG,
};

const download = async (figure, name, kind) => {
  const file = URL.createObjectURL(await KINDS[kind](figure));
  const called = `${name.toLowerCase().replaceAll(" ", "-")}.${kind.toLowerCase()}`;
  h("a", { href: file, download: called }).click();
  setTimeout(() => URL.revokeObjectURL(file), 1000);
};

/** Puts the state into the page's address, and copies that where the browser lets us. */
const copyLink = async (model, say) => {
  location.replace(model.hash());
  try {
    await navigator.clipboard.writeText(location.href);
    say("The link to this state is copied.");
  } catch {
    say("The link to this state stands in the address bar.");
  }
};

/** The menu of a figure. Only a page without a kernel has an address for the figure's state. */
export const menuOf = ({ name, model, root, numbers, say }) => {
  const list = h("div", { className: "items" });
  const menu = h(
    "details",
    { className: "menu ui" },
    h("summary", { "aria-label": `More of ${name}`, title: "More" }, "⋯"),
    list,
  );
  const add = (text, act) => {
    const button = h("button", { type: "button" }, text);
    button.addEventListener("click", () => {
      menu.open = false;
      act(button);
    });
    list.append(button);
  };
  add("Show the numbers", (button) => {
    numbers.hidden = !numbers.hidden;
    button.textContent = numbers.hidden ? "Show the numbers" : "Hide the numbers";
    if (!numbers.hidden) numbers.focus();
  });
  for (const kind of Object.keys(KINDS)) add(`Save ${kind}`, () => download(root, name, kind));
  if (model.hash) add("Copy link", () => copyLink(model, say));
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    menu.open = false;
    menu.querySelector("summary").focus();
  });
  menu.addEventListener("focusout", (event) => {
    if (!menu.contains(event.relatedTarget)) menu.open = false;
  });
  return menu;
};
