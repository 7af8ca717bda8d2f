// What one seldom needs of a figure, out of sight behind three dots: its numbers, a picture of it,
// what it said, a link to its state, and its own page.

import { h } from "../parts/dom.js";
import { toPNG, toSVG } from "./save.js";

/** Where the figure stands on the web as it is now, or nothing: not of a page on a disk. */
const addressOf = (model) => {
  if (!model.hash || !location.protocol.startsWith("http")) return "";
  return new URL(model.hash(), location.href).href;
};

/** Saves the figure: as an SVG where letters are to stay sharp at any size, as a PNG for all others. */
const download = async (root, model, draw, kind) => {
  const { title, letters } = model.get("frame");
  const picture = await draw(root, { title, letters, address: addressOf(model) });
  const file = URL.createObjectURL(picture);
  h("a", { href: file, download: `${title.toLowerCase().replaceAll(" ", "-")}.${kind}` }).click();
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

/** Copies a text; by the old way where the page is not safe enough for the new one. */
export const copyText = async (text, root, say) => {
  let isCopied = true;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const field = h("textarea", { value: text });
    root.append(field);
    field.select();
    isCopied = document.execCommand("copy");
    field.remove();
  }
  say(isCopied ? "What it said is copied." : "This browser does not let a page copy.");
};

/**
 * The menu of a figure. Only a page without a kernel has an address for the figure's state, and
 * only the book's site has a page of its own for it; `said` gives what the figure has said, if it
 * has words to copy.
 */
export const menuOf = ({ name, model, root, numbers, say, said }) => {
  const list = h("div", { className: "items", tabIndex: -1 }); // a press beside its buttons keeps it open
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
  add("Save as a picture", () => download(root, model, toPNG, "png"));
  add("Save as an SVG", () => download(root, model, toSVG, "svg"));
  const sent = () => [said(), addressOf(model)].filter(Boolean).join("\n");
  if (said) add("Copy what it said", () => copyText(sent(), root, say));
  if (model.hash) add("Copy link", () => copyLink(model, say));
  if (model.page) add("Open on its own page", () => location.assign(model.page()));
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    menu.open = false;
    menu.querySelector("summary").focus();
  });
  menu.addEventListener("focusout", ({ relatedTarget }) => {
    if (menu.contains(relatedTarget)) return;
    // Later, because Chromium crashes where a press closes the list that it is in.
    setTimeout(() => {
      menu.open = false;
    });
  });
  return menu;
};
