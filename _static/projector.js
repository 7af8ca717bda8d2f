// Projector mode: the key p makes text and figures large and hides what stands around them, on
// every page that is opened in this window, until p or Escape. Page Down and Page Up, which a
// presenter's remote sends, go from part to part.

{
  const root = document.documentElement;
  const typing =
    "textarea, select, input:not([type=range], [type=checkbox], [type=radio], [type=button])";
  // What is brought to the top of the screen: headings, figures, pictures, and each exercise by its
  // heading
  const parts = "article :is(h1, h2, h3, .tl-figure, .cell_output img)";
  const air = 16; // pixels above a part
  const remember = (on) => {
    try {
      if (on) sessionStorage.setItem("projector", "on");
      else sessionStorage.removeItem("projector");
    } catch {} // a page opened as a file may be refused a memory: then the mode holds for this page
  };
  const remembered = () => {
    try {
      return sessionStorage.getItem("projector") === "on";
    } catch {
      return false;
    }
  };
  const button = (className, textContent, title) =>
    Object.assign(document.createElement("button"), {
      type: "button",
      className,
      textContent,
      title,
    });
  root.classList.toggle("projector", remembered()); // before anything is drawn

  addEventListener("DOMContentLoaded", () => {
    const notice = document.createElement("div");
    notice.className = "projector-notice";
    notice.role = "status";
    const leave = button("projector-leave", "leave projector mode", "or press p, or Escape");
    const explained = "Large text and figures, nothing around them: press p";
    const enter = button("projector-enter", "projector mode (p)", explained);
    document.querySelector("footer.bd-footer, .bd-footer-content")?.append(enter);
    document.body.append(leave, notice);

    const turn = (on) => {
      // The style sheet has nothing for a narrow window.
      if (on && !matchMedia("(min-width: 900px)").matches) return;
      // What is being looked at stays in sight, though everything above it changes its height.
      const seen = [...document.querySelectorAll("article :is(p, h1, h2, h3, .cell, table)")].find(
        (element) => element.getBoundingClientRect().bottom > innerHeight / 4,
      );
      const before = seen?.getBoundingClientRect().top;
      root.classList.toggle("projector", on);
      remember(on);
      if (seen) scrollBy({ top: seen.getBoundingClientRect().top - before, behavior: "instant" });
      notice.textContent = on
        ? "Projector mode. Page Down and Page Up go from part to part; p or Escape leaves it."
        : "Projector mode is off.";
    };

    // To the next part, or to the one before. What fills more than a screen comes screen by screen,
    // so that nothing is left out on the way.
    const step = (forward) => {
      const tops = [...document.querySelectorAll(parts)]
        .filter((part) => part.checkVisibility())
        .map((part) => part.getBoundingClientRect().top - air);
      const screen = innerHeight - 4 * air;
      const beyond = (top, i) => top > 2 && i > 0; // the title is where one begins
      const next = forward ? tops.find(beyond) : tops.findLast((top) => top < -2);
      const most = forward ? screen : -screen;
      const inReach = next !== undefined && Math.abs(next) <= innerHeight;
      scrollBy({ top: inReach ? next : most, behavior: "instant" });
    };

    const isOn = () => root.classList.contains("projector");
    enter.addEventListener("click", () => turn(true));
    leave.addEventListener("click", () => turn(false));
    addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
      const target = event.composedPath()[0]; // within a figure too
      if (target.matches?.(typing) || target.isContentEditable) return;
      if (event.key === "p" || event.key === "P") turn(!isOn());
      else if (event.key === "Escape" && isOn()) turn(false);
    });
    // A remote turns from everywhere, also where a slider has the focus and would take these keys
    // for itself.
    const keys = { PageDown: true, PageUp: false };
    const turnPage = (event) => {
      if (!isOn() || !(event.key in keys) || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      event.stopPropagation();
      step(keys[event.key]);
    };
    addEventListener("keydown", turnPage, { capture: true });
  });
}
