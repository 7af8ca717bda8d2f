// What moves while a page is read: the list of pages begins where the reader is, the section that
// is read is lit in the contents, on a phone the theme's bar goes when the text moves up and comes
// when it moves down, and what is cut at its right edge and scrolls fades there.

addEventListener("DOMContentLoaded", () => {
  const active = [...document.querySelectorAll(".bd-docs-nav .active")].at(-1);
  const list = active?.closest(".sidebar-primary-item");
  if (list) {
    const below =
      active.getBoundingClientRect().bottom -
      list.getBoundingClientRect().top -
      list.clientHeight / 2;
    list.scrollTop += Math.max(0, below);
  }

  const links = [...document.querySelectorAll(".book-sections a")];
  const sections = links.map((link) =>
    document.getElementById(decodeURIComponent(link.hash.slice(1))),
  );
  const root = document.documentElement;
  let lit = null;
  let before = scrollY;

  // The first section that begins in the upper third, so that a short one has its turn; without one,
  // the last that has begun; at the end of the page, the last one.
  const light = () => {
    const line = innerHeight / 3;
    const atEnd = innerHeight + scrollY >= root.scrollHeight - 2;
    const top = (section) => section.getBoundingClientRect().top;
    const begun = sections.filter((section) => section?.checkVisibility() && top(section) <= line);
    const here = begun.find((section) => top(section) >= 0) ?? begun.at(-1);
    const read = links[sections.indexOf(atEnd ? sections.at(-1) : here)];
    if (read === lit) return;
    lit?.classList.remove("active");
    lit?.removeAttribute("aria-current");
    read?.classList.add("active");
    read?.setAttribute("aria-current", "true");
    lit = read;
  };

  const move = () => {
    if (Math.abs(scrollY - before) > 8) {
      root.classList.toggle("reading-on", scrollY > before && scrollY > 120);
      before = scrollY;
    }
    light();
  };
  let asked = false;
  addEventListener(
    "scroll",
    () => {
      if (asked) return;
      asked = true;
      requestAnimationFrame(() => {
        asked = false;
        move();
      });
    },
    { passive: true },
  );
  light();

  const fade = (box) =>
    box.classList.toggle("goes-on", box.scrollWidth - box.clientWidth - box.scrollLeft > 2);
  const watcher = new ResizeObserver((changes) => changes.forEach(({ target }) => fade(target)));
  for (const box of document.querySelectorAll(
    "article pre, article .pst-scrollable-table-container",
  )) {
    watcher.observe(box);
    box.addEventListener("scroll", () => fade(box), { passive: true });
  }
});
