// Cuts the parts of a chapter into slides that fit, with the fonts that this machine has, and starts reveal.js.

const [SMALLEST, SMALLER, LARGEST] = [0.3, 0.8, 1.8]; // of a block: to fit at all, beside others, where there is room
const PICTURE = { wide: 270, tall: 460, alone: 520 }; // heights: at least so much, and where there is room

const stage = document.getElementById("stage");

/** A new slide of a part. `further`: not its first one. */
const pageOf = (part, further) => {
  const page = document.createElement("section");
  page.className = `page ${part.className} ${further ? "further" : ""}`;
  const body = document.createElement("div");
  body.className = "body";
  page.append(part.querySelector("h2").cloneNode(true), body);
  stage.append(page);
  return page;
};

const bodyOf = (page) => page.querySelector(".body");

/** Whether all of a slide shows: nothing below its end, nothing beyond its side. */
const fits = (page) => {
  const body = bodyOf(page);
  const { bottom, right } = body.getBoundingClientRect();
  const scale = body.getBoundingClientRect().width / body.offsetWidth;
  return [...body.children].every((block) => {
    const box = block.getBoundingClientRect();
    const wide = [block, ...block.querySelectorAll("pre, table, .math, mjx-container, .tl-figure")];
    return (
      box.bottom <= bottom + 1 * scale &&
      wide.every(
        (inner) =>
          inner.getBoundingClientRect().right <= right + 1 * scale &&
          inner.scrollWidth <= inner.clientWidth + 2,
      )
    );
  });
};

/** Makes a block smaller until its slide fits; whether it does. */
const shrink = (page, block, from = 1, to = SMALLEST) => {
  for (let zoom = from; zoom >= to; zoom -= 0.03) {
    block.style.zoom = zoom;
    if (fits(page)) return true;
  }
  return false;
};

/** Pictures and figures take the room that is left. */
const grow = (page) => {
  for (const figure of page.querySelectorAll(".figure")) shrink(page, figure, LARGEST);
  const pictures = [...page.querySelectorAll(".picture")];
  for (let height = PICTURE.alone; pictures.length && height > 80; height -= 10) {
    for (const picture of pictures) picture.style.setProperty("--height", `${height}px`);
    if (fits(page)) return;
  }
};

/** Whether a block belongs to what follows: it asks, or ends in a colon, or is the code of a result. */
const leads = (block) =>
  block &&
  (block.matches(".code") || /[:?]$/.test(block.firstElementChild?.textContent.trim() ?? ""));

/** Whether a block asks the class: what answers it comes on the next slide. A chapter's first question stays open. */
const asks = (block, first) => {
  if (block.querySelector('[data-figure="Prediction"]')) return true;
  if (first || !block.matches(".prose")) return false;
  const bold = [...block.querySelectorAll("strong")];
  return (
    bold.some((words) => words.textContent.startsWith("Predict")) ||
    block.textContent.trim().endsWith("?")
  );
};

/** Whether a block may stand below the question: more of it, a formula, a list, a quoted piece of code. */
const belongs = (block) => {
  const first = block.querySelector("p")?.firstChild;
  const more = first?.nodeName === "STRONG" && first.textContent.startsWith("Predict");
  return more || block.matches(".formula, .ol, .ul, .div, .pre");
};

/** The slides of a part, in order. */
const cut = (part) => {
  const pages = [pageOf(part, false)];
  const exercise = part.classList.contains("exercise");
  let asked = false;
  for (const block of [...part.querySelectorAll(":scope > .block")]) {
    if (asked && !belongs(block)) {
      pages.push(pageOf(part, true));
      asked = false;
    }
    asked ||= !exercise && asks(block, part.classList.contains("title"));
    let page = pages.at(-1);
    const image = block.querySelector("img");
    const tall = image && image.naturalHeight > image.naturalWidth;
    block.style.setProperty("--height", `${tall ? PICTURE.tall : PICTURE.wide}px`);
    const before = bodyOf(page).lastElementChild;
    bodyOf(page).append(block);
    if (fits(page)) continue;
    if (before && block.matches(".code, .output, .table") && shrink(page, block, 1, SMALLER))
      continue;
    block.style.zoom = 1;
    if (before) {
      page = pageOf(part, true);
      const lead = leads(before) && before.previousElementSibling ? before : null;
      if (lead) bodyOf(page).append(lead);
      bodyOf(page).append(block);
      pages.push(page);
      if (lead && !fits(page)) {
        bodyOf(pages.at(-2)).append(lead);
      }
    }
    if (!fits(page)) shrink(page, block);
  }
  for (const page of pages) grow(page);
  part.remove();
  return pages;
};

/** What a figure says below itself goes to the speaker: on a slide the room is the figure's. */
const quieten = (figure) => {
  const caption = figure.shadowRoot?.querySelector("figcaption");
  if (!caption?.textContent) return;
  const notes = document.createElement("aside");
  notes.className = "notes";
  notes.textContent = caption.textContent;
  figure.closest(".block").append(notes);
  caption.hidden = true;
};

const start = async () => {
  for (const figure of document.querySelectorAll(".tl-figure")) quieten(figure);
  await MathJax.startup.promise;
  await Promise.all([...document.images].map((image) => image.decode().catch(() => {})));
  const columns = [];
  for (const part of [...stage.querySelectorAll(":scope > section")]) {
    const pages = cut(part);
    if (part.classList.contains("below") && columns.length) columns.at(-1).push(...pages);
    else columns.push(...pages.map((page) => [page]));
  }
  for (const column of columns) {
    if (column.length === 1) {
      stage.append(column[0]);
      continue;
    }
    const stack = document.createElement("section");
    stack.append(...column);
    stage.append(stack);
  }
  stage.classList.add("cut");
  await Reveal.initialize({
    width: 1280,
    height: 720,
    margin: 0,
    minScale: 0.1,
    maxScale: 10,
    center: false,
    hash: true,
    slideNumber: "c/t",
    transition: "none",
    plugins: [RevealNotes],
  });
  Reveal.addKeyBinding({ keyCode: 68, key: "D", description: "Dark or light" }, () => {
    const { dataset } = document.documentElement;
    dataset.theme = dataset.theme === "dark" ? "light" : "dark";
  });
  const grown = new ResizeObserver((found) => {
    for (const { target } of found) {
      const [page, block] = [target.closest(".page"), target.closest(".block")];
      if (page?.classList.contains("present") && !fits(page))
        shrink(page, block, Number(block.style.zoom) || 1);
    }
  });
  for (const figure of document.querySelectorAll(".tl-figure")) {
    grown.observe(figure);
    figure.dataset.preventSwipe = "";
    // What is pressed in a figure is the figure's: reveal.js listens further out.
    figure.addEventListener("keydown", (event) => event.stopPropagation());
  }
  // But for what a presenter's remote sends.
  addEventListener(
    "keydown",
    (event) => {
      if (!["PageDown", "PageUp"].includes(event.key) || !event.target.closest?.(".tl-figure"))
        return;
      event.preventDefault();
      event.stopPropagation();
      if (event.key === "PageDown") Reveal.next();
      else Reveal.prev();
    },
    true,
  );
  document.documentElement.dataset.ready = "yes";
};

start();
