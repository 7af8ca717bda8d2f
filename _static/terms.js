// A term of the glossary shows its definition on hover, on focus and on a tap; a second tap leads
// to the glossary.

addEventListener("DOMContentLoaded", () => {
  const note = document.createElement("div");
  note.className = "term-note";
  note.id = "term-note";
  note.role = "tooltip";
  note.hidden = true;
  document.body.append(note);
  let shown = null;
  let [pointerAt, dismissedAt] = [null, null]; // what lies under a dismissed note stays closed

  const isAt = ({ clientX, clientY }) => `${clientX} ${clientY}`;
  const hide = () => {
    shown?.removeAttribute("aria-describedby");
    delete shown?.dataset.tapped;
    shown = null;
    note.hidden = true;
  };
  const show = (term) => {
    shown?.removeAttribute("aria-describedby");
    shown = term;
    note.textContent = term.dataset.definition;
    note.hidden = false;
    term.setAttribute("aria-describedby", note.id);
    const [place, width] = [term.getBoundingClientRect(), document.documentElement.clientWidth];
    const left = Math.max(8, Math.min(place.left, width - note.offsetWidth - 8));
    const below = place.bottom + note.offsetHeight + 8 < innerHeight;
    note.style.left = `${left + scrollX}px`;
    const top = below ? place.bottom + 4 : place.top - note.offsetHeight - 4;
    note.style.top = `${top + scrollY}px`;
  };

  for (const term of document.querySelectorAll("a.term")) {
    let touched = false;
    term.addEventListener("pointerenter", (event) => {
      if (event.pointerType === "mouse" && isAt(event) !== dismissedAt) show(term);
    });
    term.addEventListener(
      "pointerleave",
      (event) => event.pointerType === "mouse" && event.relatedTarget !== note && hide(),
    );
    term.addEventListener("focus", () => show(term));
    term.addEventListener("blur", hide);
    term.addEventListener(
      "pointerdown",
      (event) => (touched = event.pointerType !== "mouse" && term.dataset.tapped !== "yes"),
    );
    term.addEventListener("click", (event) => {
      if (touched) {
        event.preventDefault();
        term.dataset.tapped = "yes";
        show(term);
      }
      touched = false;
    });
  }
  note.addEventListener("pointerleave", hide);
  addEventListener("pointermove", (event) => {
    pointerAt = isAt(event);
  });
  addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    dismissedAt = pointerAt;
    hide();
  });
  addEventListener(
    "pointerdown",
    (event) => shown && !shown.contains(event.target) && event.target !== note && hide(),
  );
});
