// The front page offers to go on where a reader was: the section that was on the screen when the
// last of the other pages was left. It is kept in this browser and nowhere else, until it is forgotten. Where
// nothing is kept, nothing is offered.

{
  const KEPT = "place";
  const PAGE = /chapters\/(teach\/)?[\w-]+\.html$/;
  const SAFE = /^chapters\/(teach\/)?[\w-]+\.html(#[\w-]+)?$/;

  /** "chapter 5", or what stands over another page. */
  const nameOf = (page) => {
    const chapter = /\/(\d\d)-/.exec(page);
    const heading = document.querySelector("h1").firstChild.textContent.trim();
    return chapter && !page.includes("teach/") ? `chapter ${Number(chapter[1])}` : heading;
  };

  /** Remember the section that is lit in the contents: see reading.js. */
  const keep = (page) => {
    const lit = document.querySelector(".book-sections a.active");
    const place = {
      address: page + (lit?.hash ?? ""),
      page: nameOf(page),
      section: lit?.textContent.trim() ?? "",
    };
    try {
      localStorage.setItem(KEPT, JSON.stringify(place));
    } catch {} // there may be no room, or none for a page that was opened as a file
  };

  const kept = () => {
    try {
      const { address, page, section } = JSON.parse(localStorage.getItem(KEPT));
      return SAFE.test(address) && page ? { address, page, section } : null;
    } catch {
      return null; // nothing, or nothing that can be read
    }
  };

  const forget = () => {
    try {
      localStorage.removeItem(KEPT);
    } catch {}
  };

  /** The link, and the button that forgets, before what the front page offers to everybody. */
  const offer = (row) => {
    row.querySelector(".go-on")?.remove();
    const place = kept();
    if (!place) return;
    const part = place.section && `, ${place.section}`;
    const textContent = `Go on: ${place.page}${part}`;
    const link = Object.assign(document.createElement("a"), { href: place.address, textContent });
    const button = document.createElement("button");
    Object.assign(button, { type: "button", textContent: "forget this place" });
    button.addEventListener("click", () => {
      forget();
      row.querySelector(".go-on").remove();
      row.querySelector("a").focus();
    });
    const home = Object.assign(document.createElement("span"), { className: "go-on" });
    home.append(link, " ", button);
    row.prepend(home);
  };

  addEventListener("DOMContentLoaded", () => {
    const [page] = PAGE.exec(location.pathname) ?? [];
    const row = document.querySelector("#attention-by-hand > .cell + p");
    if (page) {
      addEventListener("pagehide", () => keep(page));
      document.addEventListener("visibilitychange", () => document.hidden && keep(page));
    } else if (row) {
      offer(row);
      addEventListener("pageshow", (event) => event.persisted && offer(row));
    }
  });
}
