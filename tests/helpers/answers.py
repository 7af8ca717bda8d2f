"""What a press changes in a figure, and where that is on the screen: for `test_one_screen.py`, and
by itself, `python tests/helpers/answers.py [FIGURE ...]`, for whoever moves a figure's parts.
"""

import sys
from dataclasses import dataclass

from figure_examples import EXAMPLES, FRAMES, settled

SCREENS = {"phone": (390, 780), "desk": (1280, 720)}
EDGE = 8  # pixels: of what is said to be on the screen so much is seen
CHANGES = 200  # milliseconds, after which a press has had its effect if the figure is not busy
# As wide as in a chapter, and with room above and below, so that all can stand in the middle
ROOM = (
    "Object.assign(document.body.style, { padding: '800px 0', maxWidth: '760px', margin: 'auto' })"
)
# JavaScript, of a figure: what can be pressed, pulled or typed into, large enough for a finger; or,
# of a row of dots or cells of one kind, which answer alike, the first, the middle one and the last
CONTROLS = """(figure, every) => {
    const all = [...figure.shadowRoot.querySelectorAll(
        'button, input, select, textarea, [role=slider], [role=button], .draggable')]
        .filter((node) => !node.closest('.menu, .numbers'));
    if (every) return all;
    const kind = (node) => [node.tagName, node.type, node.getAttribute('class')].join();
    const home = (node) => node.closest('table') ?? node.parentElement;
    return all.filter((node) => {
        const like = (one) => home(one) === home(node) && kind(one) === kind(node);
        const row = all.filter(like);
        return [row.at(0), row.at(row.length >> 1), row.at(-1)].includes(node);
    });
}"""
OFFERED = """node => {
    const { width, height } = node.getBoundingClientRect();
    return !node.disabled && !node.readOnly && width > 2 && height > 2 &&
        node.checkVisibility({ visibilityProperty: true });
}"""
NAMED = """node => (node.getAttribute('aria-label') || node.labels?.[0]?.textContent
    || node.textContent || node.getAttribute('class') || '').trim().replace(/\\s+/g, ' ')"""
CENTRED = "node => node.scrollIntoView({ block: 'center', behavior: 'instant' })"
# JavaScript: all that can be seen of a figure but for the control itself: what each text says, how
# each mark is drawn, and where it is.
SEEN = """(home, control) => {
    const found = {};
    const told = /^(id|title|tabindex|disabled|aria-(?!pressed|checked).*)$/;
    const walk = (node, path) => {
        if (node === control || node.matches('.menu, .numbers, .sr, .by-picture, style')) return;
        const { top, bottom, width, height } = node.getBoundingClientRect();
        const own = [...node.childNodes].filter((one) => one.nodeType === Node.TEXT_NODE);
        const typed = node.matches('input, textarea, select') ? node.value : '';
        const text = own.map((one) => one.data).join('').trim() || typed;
        const { fill, backgroundColor, color } = getComputedStyle(node);
        const attributes = [...node.attributes].filter(({ name }) => !told.test(name));
        const look = [fill, backgroundColor, color, node.matches('canvas') && node.toDataURL(),
            ...attributes.map(({ name, value }) => `${name}=${value}`)];
        const shown = node.checkVisibility({ visibilityProperty: true, opacityProperty: true });
        const isLeaf = !node.childElementCount && !node.matches('option');
        if (shown && (width > 2 || height > 2))
            found[path] = { text, look: isLeaf ? look.join() : '', top, bottom,
                name: `${node.tagName}.${node.getAttribute('class') ?? ''} ${text.slice(0, 30)}` };
        [...node.children].forEach((child, i) => walk(child, `${path}/${i}`));
    };
    walk(home.shadowRoot.querySelector('figure'), '');
    return found;
}"""
# JavaScript: opens the folds that a control lies in, and says whether they were open
TURNED = """node => {
    const folds = [];
    for (let at = node; at; at = at.parentElement) if (at.matches('details')) folds.push(at);
    const wereOpen = folds.every((fold) => fold.open);
    for (const fold of folds) fold.open = true;
    return wereOpen;
}"""
CLOSED = "node => { node.closest('details').open = false; }"
KIND = """node => node.matches('[type=range], [role=slider]') ? 'slider'
    : node.matches('textarea, input:not([type=checkbox], [type=radio])') ? 'field'
    : node.matches('select') ? 'select' : node.matches('.draggable:not(button)') ? 'drag' : ''"""
CHOSEN = """node => {
    node.selectedIndex = (node.selectedIndex + 1) % node.options.length;
    for (const what of ['input', 'change']) node.dispatchEvent(new Event(what, { bubbles: true }));
}"""


@dataclass
class Answer:
    """What a press of a control has changed: how many texts and other marks are on the screen, and
    those that are not, with how far off they are, in pixels.
    """

    control: str
    texts: int = 0
    marks: int = 0
    texts_off: tuple = ()
    marks_off: tuple = ()

    @property
    def is_seen(self) -> bool:
        """At least half of the texts that change are on the screen, and half of all changes."""
        off = len(self.texts_off)
        return self.texts >= off and self.texts + self.marks >= off + len(self.marks_off)


def press(page, node):
    """Presses, pulls or types, as the control is made for, without scrolling."""
    kind = node.evaluate(KIND)
    if kind == "select":
        node.evaluate(CHOSEN)
    elif kind == "drag":
        box = node.bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x - 24, y - 12, steps=2)
        page.mouse.up()
        page.mouse.move(0, 0)
    elif kind:
        node.evaluate("node => { node.focus({ preventScroll: true }); node.select?.(); }")
        at_end = node.evaluate("node => node.value !== undefined && node.value === node.max")
        keys = ["7", "Enter"] if kind == "field" else ["ArrowLeft" if at_end else "ArrowRight"]
        for key in keys:
            page.keyboard.press(key)
    else:
        node.evaluate("node => node.click()")


def compared(before, after, height, control) -> Answer:
    answer = Answer(control)
    for path, one in after.items():
        old = before.get(path, {})
        if (old.get("text"), old.get("look")) == (one["text"], one["look"]):
            continue
        kind = "texts" if one["text"] and one["text"] != old.get("text") else "marks"
        far = max(0, EDGE - one["bottom"], one["top"] - height + EDGE)
        if far:
            kind += "_off"
            setattr(answer, kind, (*getattr(answer, kind), f"{one['name']} ({far:.0f})"))
        else:
            setattr(answer, kind, getattr(answer, kind) + 1)
    return answer


def answers(page, size, every=True) -> list[Answer]:
    """What each control of the page's only figure changes, one after the other, each in the middle
    of the screen as it is pressed. every: whether those are pressed too that stand between their
    like.
    """
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.evaluate(ROOM)
    settled(page)
    home = page.locator(".tl-figure").element_handle()
    found = []
    for i in range(home.evaluate(f"(home, every) => ({CONTROLS})(home, every).length", every)):
        # Asked for anew: what is pressed may build others
        found_now = f"(home, every) => ({CONTROLS})(home, every)[{i}]"
        node = home.evaluate_handle(found_now, every).as_element()
        if node is None:
            continue
        was_open = node.evaluate(TURNED)
        if not node.evaluate(OFFERED):
            continue
        node.evaluate(CENTRED)
        page.evaluate(FRAMES)
        before = home.evaluate(SEEN, node)
        name = node.evaluate(NAMED)
        press(page, node)
        page.wait_for_timeout(CHANGES)
        settled(page)
        page.evaluate(FRAMES)
        found.append(compared(before, home.evaluate(SEEN, node), size[1], name))
        if not was_open and node.evaluate("node => node.isConnected"):
            node.evaluate(CLOSED)
    return found


def main(names):
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox"]
        )
        for name in names or EXAMPLES:
            page = chromium.new_page(reduced_motion="reduce")
            for screen, size in SCREENS.items():
                page.set_content(f"<!doctype html><body>{EXAMPLES[name].make().snapshot()}")
                found = answers(page, size)
                unseen = [one for one in found if not one.is_seen]
                part = sum(bool(one.texts_off or one.marks_off) for one in found)
                print(
                    f"{name}, {screen}: {len(found)} controls, {part} in part, {unseen}", flush=True
                )
            page.close()


if __name__ == "__main__":
    main(sys.argv[1:])
