// Projector mode: the key p makes text and figures large and hides what stands around them, on every page that is opened
// in this window, until p or Escape.

{
  const root = document.documentElement;
  const typing = "textarea, select, input:not([type=range], [type=checkbox], [type=radio], [type=button])";
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
  root.classList.toggle("projector", remembered()); // before anything is drawn

  addEventListener("DOMContentLoaded", () => {
    const status = document.createElement("div");
    status.className = "projector-status";
    status.role = "status";
    const leave = document.createElement("button");
    leave.type = "button";
    leave.className = "projector-leave";
    leave.textContent = "leave projector mode";
    leave.title = "or press p, or Escape";
    const enter = document.createElement("button");
    enter.type = "button";
    enter.className = "projector-enter";
    enter.textContent = "projector mode (p)";
    enter.title = "Large text and figures, nothing around them: press p";
    document.querySelector("footer.bd-footer, .bd-footer-content")?.append(enter);
    document.body.append(leave, status);

    const turn = (on) => {
      if (on && !matchMedia("(min-width: 900px)").matches) return; // the style sheet has nothing for a narrow window
      // What is being looked at stays in sight, though everything above it changes its height.
      const seen = [...document.querySelectorAll("article :is(p, h1, h2, h3, .cell, table)")].find(
        (element) => element.getBoundingClientRect().bottom > innerHeight / 4,
      );
      const before = seen?.getBoundingClientRect().top;
      root.classList.toggle("projector", on);
      remember(on);
      if (seen) scrollBy({ top: seen.getBoundingClientRect().top - before, behavior: "instant" });
      status.textContent = on ? "Projector mode is on. Press p or Escape to leave it." : "Projector mode is off.";
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
  });
}
