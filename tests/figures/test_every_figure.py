"""What holds for every figure, in both homes. The examples come from `figure_examples.py`, and from
nowhere else.
"""

import inspect
import io
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urlencode

import numpy as np
import pytest
from bs4 import BeautifulSoup
from conftest import opener
from figure_examples import (
    BUSY,
    DRAWN,
    EXAMPLES,
    HOSTILE,
    SAVED,
    drawn,
    made,
    resize,
    settled,
    state,
    unfold,
)
from pictures import ALONE, AS_SAVED, differences
from PIL import Image

from attention_by_hand import figures
from attention_by_hand.figures.kit import figure as base


def each(names, weekly=()):
    """One test for each of these figures. A figure's tests run one after the other, in one process:
    they share its page.
    """
    group = pytest.mark.xdist_group
    marks = {name: [group(name)] + [pytest.mark.weekly] * (name in weekly) for name in names}
    values = [pytest.param(name, marks=marks[name]) for name in names]
    return pytest.mark.parametrize("name", values, scope="module")


EVERY = each([name for name in figures.__all__ if name in EXAMPLES])
WITH_WORDS = each([name for name, example in EXAMPLES.items() if example.hostile])
# A canvas with threads, a table, a chart: how one of each kind is saved is seen in every run.
KINDS = {"AttentionExplorer", "ByHand", "SoftmaxScale"}
TO_BE_SEEN_SAVED = each(SAVED, weekly={*SAVED} - KINDS)


@pytest.mark.parametrize("name", sorted({*figures.__all__, *EXAMPLES}))
def test_every_figure_has_an_example_and_every_control_a_test(name):
    assert name in figures.__all__, f"figure_examples.py has {name}, but figures.__all__ has not"
    assert name in EXAMPLES, (
        f"{name} is in figures.__all__; give it an Example in figure_examples.py"
    )
    figure = EXAMPLES[name].make()
    example = EXAMPLES[name]
    assert type(figure).__name__ == name
    moved = {control.label for control in figure.controls() if control.kind != "play"}
    fixed = {control.label for control in figure.controls() if not control.offers_a_choice(figure)}
    assert moved - fixed == set(example.moves), (
        f"{name}: Example.moves must name each control that offers a choice"
    )
    if example.hostile:
        assert example.labels, f"{name}: Example.labels must say where its tokens are written"
        assert isinstance(made(example.hostile), getattr(figures, name))
    else:
        words = re.search(r"words|tokens|rows|sentences", " ".join(type(figure)._travelling()))
        assert words is None or name == "HeadsInMemory", (
            f"{name} has {words[0]}: give it an Example.hostile"
        )


# ---------------------------------------------------------------------------------------------
# with a kernel


class Page(HTMLParser):
    """The elements of a snapshot, and what stands in its scripts."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.scripts = [], []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)

    def handle_data(self, data):
        if self.tags[-1] == "script" and data.strip():
            self.scripts.append(data)


@pytest.mark.parametrize("name", figures.__all__)
def test_each_trait_has_a_line_and_a_meaning(name):
    figure = getattr(figures, name)
    code = inspect.getsource(figure)
    own = [trait for trait in figure._travelling() if trait not in base.Figure._travelling()]
    assert [t for t in own if not re.search(rf"^    {t} = .*  # \w", code, re.MULTILINE)] == []


@pytest.mark.parametrize("name", figures.__all__)
def test_the_module_knows_the_traits_by_their_names(name):
    figure = getattr(figures, name)
    code = figure._module_file().read_text("utf-8")
    known = re.search(r"@typedef \{\{([^}]*)\}\} Traits", code)[1]
    own = {*figure._travelling()} - {*base.Figure._travelling()}
    assert {*re.findall(r"(\w+):", known)} == own


@EVERY
def test_the_bundle_holds_the_live_view_and_a_snapshot_of_the_same_state(name):
    figure = EXAMPLES[name].make()
    data, _ = figure._repr_mimebundle_()
    assert data[base.WIDGET_VIEW]["model_id"] == figure.view.model_id
    page = Page(data["text/html"])
    carried = json.loads(page.scripts[0])
    live = {key: value for key, value in figure.get_state().items() if key in figure._travelling()}
    assert carried["state"].keys() | carried["binary"].keys() == live.keys()
    assert carried["state"] == json.loads(
        json.dumps({k: v for k, v in live.items() if k in carried["state"]})
    )
    assert [control["label"] for control in carried["controls"]] == [
        c.label for c in figure._offered()
    ]
    assert not re.search(
        r"(src|href)=.?(https?:)?//|\bimport\b *[\"'({]|url\((?!#|data:)", data["text/html"]
    )


@EVERY
def test_every_control_is_a_widget_linked_to_its_trait(name, monkeypatch):
    made = []
    monkeypatch.setattr(
        base.widgets, "jslink", lambda source, target: made.append((source, target))
    )
    figure = EXAMPLES[name].make()
    controls = figure.view.children[0].children
    assert figure.view.children[1] is figure and len(controls) == len(figure._offered())
    links = {
        (trait, target[1])
        for (source, trait), target in made
        if source is figure and target[0] in controls
    }
    for control, widget in zip(figure._offered(), controls, strict=True):
        ends = (
            [control.min, control.last(figure), control.step]
            if control.kind in ("slider", "play")
            else [None] * 3
        )
        assert [getattr(widget, end, None) for end in ("min", "max", "step")] == ends
        assert (control.trait, "index" if control.kind in ("select", "scale") else "value") in links
        assert not isinstance(control.max, str) or (control.max, "max") in links
    assert len(made) == sum(1 + isinstance(control.max, str) for control in figure._offered())


@EVERY
def test_the_base_refuses_what_a_control_cannot_show(name):
    figure = EXAMPLES[name].make()
    for control in figure.controls():
        before = getattr(figure, control.trait)
        wrong = {"check": [], "select": [-1, len(control.options)]}.get(
            control.kind, [control.min - 1, control.last(figure) + 1]
        )
        for value in ["no such option"] if isinstance(before, str) else wrong:
            with pytest.raises(ValueError, match="out of range|expected one of"):
                setattr(figure, control.trait, value)
            assert getattr(figure, control.trait) == before


@EVERY
def test_without_javascript_words_numbers_and_the_caption_remain(name):
    figure = EXAMPLES[name].make()
    table = figure.as_table()
    kept = BeautifulSoup(figure.snapshot(), "html.parser").noscript
    assert [p.get_text() for p in kept.find_all("p")] == [figure.alternative, figure.caption]
    assert kept.caption.get_text() == table.caption
    assert len(kept.select("tbody tr")) == len(table.rows)
    assert all(len(row) == len(table.columns) + 1 for row in table.rows)


@WITH_WORDS
def test_data_cannot_end_the_script_that_carries_it(name):
    page = Page(made(EXAMPLES[name].hostile).snapshot())
    assert page.tags.count("script") == 2
    assert json.dumps(HOSTILE[1])[1:-1] in json.dumps(json.loads(page.scripts[0])["state"])


# ---------------------------------------------------------------------------------------------
# in a browser


@pytest.fixture(scope="module")
def shared(tabs, tmp_path_factory, name):
    """The page of a figure's example, as wide as a small phone."""
    with opener(tabs, tmp_path_factory.mktemp("shared")) as open_figures:
        yield open_figures(EXAMPLES[name].make(), width=PHONE)


@pytest.fixture
def page(shared):
    """The shared page, without motion. Each test leaves the figure as it was."""
    shared.emulate_media(reduced_motion="reduce")
    yield shared
    resize(shared, PHONE)
    shared.emulate_media(color_scheme="light", contrast="no-preference")


PHONE, DESK = 360, 900


def overflow(page):
    """How far the page reaches beyond a small phone, and beyond a desk."""
    beyond = []
    for width in (PHONE, DESK):
        resize(page, width)
        beyond.append(page.evaluate("document.documentElement.scrollWidth") - width)
    return beyond


SHIFT = """() => new Promise((done) => {
    let total = 0;
    const add = (list) => list.getEntries().forEach((entry) => {
        total += entry.hadRecentInput ? 0 : entry.value;
    });
    const watch = new PerformanceObserver((list) => add(list));
    watch.observe({ type: 'layout-shift', buffered: true });
    requestAnimationFrame(() => requestAnimationFrame(() => {
        add({ getEntries: () => watch.takeRecords() });
        done(total);
    }));
})"""


@EVERY
def test_nothing_moves_as_it_arrives(shared, name):
    assert shared.evaluate(SHIFT) == 0


# JavaScript: the module that a kernel sends, given the state that a kernel sends
LIVE = """([code, style]) => {
    const data = JSON.parse(document.querySelector('.tl-figure script').textContent);
    const bytes = (text) =>
        new DataView(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer);
    const state = { ...data.state, _style: style };
    for (const [trait, text] of Object.entries(data.binary)) state[trait] = bytes(text);
    const acts = {};
    const model = {
        get: (trait) => state[trait],
        set: (trait, value) => { state[trait] = value; },
        on: (change, act) => { (acts[change] ??= []).push(act); },
        off() {},
        save_changes() {},
    };
    window.change = (trait, value) => {
        state[trait] = value;
        for (const act of acts[`change:${trait}`]) act();
    };
    const el = document.body.appendChild(document.createElement('div'));
    window.live = (figure) => figure.render({ model, el });
    const script = document.createElement('script');
    script.type = 'module';
    const drawn = 'window.drawnAgain = live($1);';
    script.textContent = code.replace(/export default (.*);/, drawn);
    document.head.append(script);
}"""


@EVERY
def test_the_live_module_draws_what_the_snapshot_draws(page, name):
    figure = EXAMPLES[name].make()
    snapshot = drawn(page)
    page.evaluate(LIVE, [figure._esm, figure._style])
    page.wait_for_function("window.drawnAgain !== undefined")
    live = drawn(page, 1)
    page.evaluate("change('caption', 'In other words.')")
    parts = page.locator(".tl-figure").nth(1).locator("figcaption, .about p")
    caption = "".join(parts.all_text_contents())
    page.locator("body > div").last.evaluate("home => home.remove()")
    assert [part[0] for part in live] == [part[0] for part in snapshot]
    assert live == snapshot
    assert caption == "In other words."


def press(page, figure, control):
    """Moves a native input one step with the keyboard; the opposite key takes it back."""
    value = figure.get_state(control.trait)[control.trait]
    last = len(control.options) - 1
    keys = {"select": ("ArrowDown", "ArrowUp"), "check": ("Space", "Space")}.get(
        control.kind, ("ArrowRight", "ArrowLeft")
    )
    at_end = value == (last if control.kind == "select" else control.last(figure))
    there, back = keys[::-1] if at_end else keys
    role = {"select": "combobox", "check": "checkbox"}.get(control.kind, "slider")
    found = page.locator(".controls").get_by_role(
        role, name=control.label, exact=control.kind == "check"
    )
    found.first.press(there)
    return lambda: found.first.press(back)


@EVERY
def test_each_control_moves_the_figure_from_the_keyboard_and_nothing_below_it(page, name):
    figure = EXAMPLES[name].make()
    after = page.get_by_text("After.")
    below = lambda: after.evaluate("p => p.getBoundingClientRect().y + scrollY")  # noqa: E731
    unfold(page)
    floor = below()
    settled(page)
    home = page.locator(".tl-figure")
    home.evaluate(f"home => {{ window.first = JSON.stringify(({DRAWN})(home)); }}")
    before = state(page)
    for control in figure._offered():
        if control.kind == "play" or not control.on_page:
            continue
        back = press(page, figure, control)
        now = state(page)
        assert home.evaluate(f"home => JSON.stringify(({DRAWN})(home)) !== first"), control.label
        if attribute := EXAMPLES[name].moves[control.label]:
            assert now[attribute] != before[attribute], control.label
        back()
        # Another sentence may be shorter, and the place in it is pulled in
        if not control.label == "sentence":
            assert state(page) == before, f"{control.label} came back"
    if EXAMPLES[name].moves:
        spoken = page.locator("figure").aria_snapshot()
        assert len(re.findall("- status", spoken)) == 1, "what has changed is said once"
    assert below() == floor


# JavaScript: note where texts change that a translator of pages would have replaced
UNGUARDED = """home => {
    window.unguarded = [];
    const note = ({ target }) => {
        const node = target.nodeType === Node.TEXT_NODE ? target.parentElement : target;
        if (node && !node.closest('[translate=no]')) unguarded.push(node.outerHTML.slice(0, 99));
    };
    const watch = new MutationObserver((list) => list.forEach(note));
    watch.observe(home.shadowRoot.querySelector('figure'),
        { subtree: true, childList: true, characterData: true });
}"""


@EVERY
def test_no_text_changes_that_a_translator_of_pages_would_replace(page, name):
    unfold(page)
    page.locator(".tl-figure").evaluate(UNGUARDED)
    for control in EXAMPLES[name].make()._offered():
        if control.kind != "play" and control.on_page:
            press(page, EXAMPLES[name].make(), control)()
    settled(page)
    assert page.evaluate("unguarded") == []


# JavaScript: the texts of a figure whose letters are smaller than a label's, as they are shown
SMALL = """figure => [...figure.querySelectorAll('*')].filter((node) => {
    const own = [...node.childNodes].some(({ data }) => data?.trim());
    if (!own || !node.checkVisibility() || node.closest('style, .sr, .by-picture')) return false;
    const { a, b } = node.getScreenCTM?.() ?? { a: 1, b: 0 };
    return parseFloat(getComputedStyle(node).fontSize) * Math.hypot(a, b) < 13.9;
}).map((node) => `${node.getAttribute('class')} ${node.textContent}`)"""


@EVERY
def test_it_fits_a_small_phone_and_a_desk_and_no_letter_is_small(page, name):
    assert overflow(page) == [0, 0]
    for width in (PHONE, DESK):
        resize(page, width)
        assert page.locator("figure").evaluate(SMALL) == [], width


WRONG = ["0.437", "-1.437", "1e9", "1e400", "null", "{}", "[null]", "[[]]", '[""]', '["no such"]']
WRONG += ['"no such"']
# JavaScript: what a figure says, how high it is and where its inputs stand, at each of these values
# in the page's address
FOLLOWED = """async (home, [hashes, busy]) => {
    const all = [];
    const isBusy = eval(busy);
    for (const hash of hashes) {
        await new Promise((done) => {
            addEventListener('hashchange', done, { once: true });
            location.hash = `${hash}&turn=${all.length}`; // another one each time
        });
        while (isBusy(home)) await new Promise((done) => setTimeout(done, 5));
        const root = home.shadowRoot;
        const words = [...root.querySelectorAll('figure *')].flatMap((node) => [
            node.childElementCount ? '' : node.textContent,
            ...['aria-label', 'aria-valuetext', 'title'].map((name) => node.getAttribute(name))
        ]);
        const inputs = [...root.querySelectorAll('.controls :is(input, select)')].map((one) =>
            [one.labels[0].querySelector('span').textContent,
                one.selectedIndex ?? Number(one.value)]);
        const { dataset } = root.querySelector('figure');
        all.push({ hash, words: words.join(' '), state: { ...dataset }, high: home.offsetHeight,
            inputs: Object.fromEntries(inputs) });
    }
    return all;
}"""
NONSENSE = r"undefined|NaN|Infinity|null|did not start"


def followed(page, name, queries):
    """What the figure shows at each of these ends of the page's address."""
    hashes = [f"{name}?{urlencode(query)}" for query in queries]
    return page.locator(".tl-figure").evaluate(FOLLOWED, [hashes, BUSY])


MOST = 8  # of the values of a control between its ends
ALSO = {"LiveTranslator": [{"temperature": 2}, {"temperature": 0}, {"beam": 3}, {"beam": 1}]}


@EVERY
def test_an_address_reaches_both_ends_of_a_control_no_further_and_nothing_moves(page, name):
    figure = EXAMPLES[name].make()
    resize(page, 390)
    unfold(page)
    asked = [(query, None, True) for query in ALSO.get(name, [])]
    for control in figure._offered():
        if control.kind not in ("slider", "scale", "select"):
            continue
        first = 0 if control.kind == "select" else control.min
        last = len(control.options) - 1 if control.kind == "select" else control.last(figure)
        step = control.step
        # More parts of a model, and another sentence, may take more room
        steady = not control.fold and control.trait != "sentence"
        far = step * max(1, round((last - first) / step / MOST))
        between = np.arange(first, last, far).round(6).tolist() if steady else []
        values = [(value, value) for value in between]
        values += [(value, last) for value in (last, last + step, last - step / 2)]
        values += [(value, first) for value in (first, first - step)]
        values += [(figure.get_state(control.trait)[control.trait],) * 2]
        for value, shown in values:
            there = {control.label: shown} if control.on_page else None
            asked.append(({control.trait: json.dumps(value)}, there, steady))
    found = followed(page, name, [query for query, *_ in asked])
    at = {}
    for (query, there, _), now in zip(asked, found, strict=True):
        now["state"].pop("read", None)  # how much was new to the Writer's cache
        if there is not None:
            assert there.items() <= now["inputs"].items(), query
            assert at.setdefault(str(there), now["state"]) == now["state"], query
    highs = {now["high"] for (*_, steady), now in zip(asked, found, strict=True) if steady}
    assert len(highs) <= 1, [(now["hash"], now["high"]) for now in found]


def test_an_address_is_for_the_figure_that_it_names(open_figures):
    page = open_figures(EXAMPLES["Recall"].make(), EXAMPLES["Recall"].make())
    before = state(page)
    for other in ("Positions?length=3", "?length=3", "Recall-2?length=3"):
        page.evaluate("hash => { location.hash = hash; }", other)
    page.wait_for_function(
        "document.querySelectorAll('.tl-figure')[1].shadowRoot.querySelector('[data-length=\"3\"]')"
    )
    assert state(page) == before


def test_an_address_that_is_opened_keeps_to_the_ends_that_it_sets_itself(open_figures):
    page = open_figures(EXAMPLES["EmbeddingLookup"].make())
    page.evaluate("location.hash = 'EmbeddingLookup?sentence=1&position=1'")  # which has one word
    page.reload()
    assert (state(page)["sentence"], state(page)["position"]) == ("1", "0")


def contrast(one, other):
    """The contrast of two colours, as #rrggbb, from 1 to 21."""
    channels = [
        np.array([int(one[i : i + 2], 16) for i in (1, 3, 5)]) / 255 for one in (one, other)
    ]
    linear = [np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4) for c in channels]
    dark, light = sorted(float(c @ [0.2126, 0.7152, 0.0722]) for c in linear)
    return (light + 0.05) / (dark + 0.05)


BROKEN = r"[\d}] %(?![ =])"  # and not a remainder, which has a space behind it


def test_a_number_and_its_per_cent_stay_on_one_line():
    folder = Path(figures.__file__).parent
    for module in folder.rglob("*.js"):
        assert not re.findall(BROKEN, module.read_text("utf-8")), module.relative_to(folder)


@EVERY
def test_no_line_can_end_between_a_number_and_its_per_cent(page, name):
    assert not re.findall(r"\d %", page.locator(".figure").evaluate("node => node.textContent"))


@EVERY
def test_on_a_phone_a_thumb_finds_the_menu_and_a_press_beside_its_buttons_keeps_it_open(page, name):
    menu = page.locator(".menu")
    assert menu.count() == (name in SAVED)
    if name not in SAVED:
        return
    menu.locator("summary").click()
    sizes = menu.locator(":is(summary, button)").evaluate_all(
        "all => all.map((one) => Math.min(one.offsetWidth, one.offsetHeight))"
    )
    assert sizes[0] >= 40 and min(sizes[1:]) >= 44
    menu.locator(".items").click(position={"x": 2, "y": 2})
    assert menu.evaluate("menu => menu.open")
    page.get_by_text("After.").click()
    page.wait_for_function("menu => !menu.open", arg=menu.element_handle())


@EVERY
def test_who_asks_for_contrast_has_no_faint_words_and_lines(page, name):
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme, contrast="more")
        ink, muted, line, surface = page.locator("figure").evaluate(
            """figure => ['ink', 'muted', 'line', 'surface'].map(
                (name) => getComputedStyle(figure).getPropertyValue(`--${name}`))"""
        )
        assert muted == ink, scheme
        assert contrast(line, surface) > 4.5, scheme
        menu = page.locator(".menu summary")
        assert name not in SAVED or menu.evaluate("it => getComputedStyle(it).opacity") == "1"


# JavaScript: the ring of what has the focus
RING = """() => {
    const home = document.activeElement;
    const at = home.shadowRoot?.activeElement;
    if (!at || at.matches('input[type=text], circle, .scrub')) return null;
    const seen = at.closest('.by-picture') ? home.shadowRoot.querySelector('.body') : at;
    const { outlineWidth, outlineStyle, outlineColor } = getComputedStyle(seen);
    return [outlineWidth, outlineStyle, outlineColor].join(' ');
}"""


@EVERY
def test_the_focus_has_one_ring_the_page_s(page, name):
    page.get_by_text("Before.").click()  # from there the tab key goes on
    rings = set()
    for _ in range(12):
        page.keyboard.press("Tab")
        rings.add(page.evaluate(RING))
    assert rings - {None} <= {"3px solid rgb(168, 83, 0)"}


@EVERY
def test_what_is_wrong_in_an_address_is_left_out(page, name):
    figure = EXAMPLES[name].make()
    whole = state(page)
    whole.pop("read", None)
    home = page.locator(".tl-figure")
    traits = json.loads(home.locator("script").first.text_content())["addressed"]
    guarded = {control.trait for control in figure.controls()}
    guarded |= {trait for trait in traits if isinstance(getattr(figure, trait), list)}
    guarded &= {*traits}
    for found in followed(page, name, [dict.fromkeys(guarded, value) for value in WRONG]):
        assert not re.search(NONSENSE, found["words"]), found["hash"]
        found["state"].pop("read", None)  # how much was new to the Writer's cache
        assert found["state"] == whole, found["hash"]
    free = [trait for trait in traits if trait not in guarded]
    for found in followed(page, name, [{trait: value} for trait in free for value in WRONG]):
        assert not re.search(NONSENSE, found["words"]), found["hash"]
    if traits:
        page.evaluate(
            "hash => { location.hash = hash; }",
            f"{name}?{urlencode(dict.fromkeys(traits, '[null]'))}",
        )
        page.reload()
        settled(page)
        assert not re.search(NONSENSE, home.locator("figure").inner_text())


@TO_BE_SEEN_SAVED
def test_it_saves_itself_as_it_is_on_the_screen(open_figures, name):
    """And in its frame nothing lies in the margins."""
    figure = EXAMPLES[name].make()
    page = open_figures(figure)
    unfold(page)
    for slider in page.locator(".controls input[type=range]").all():
        slider.press("End")
    settled(page)
    # without blue: not transparent
    gold = "<p style='width: 90px; height: 9px; background: rgb(168, 83, 0)'></p>"
    page.locator(".tl-figure .body").evaluate(
        f"body => body.insertAdjacentHTML('afterbegin', `{gold}`)"
    )

    with page.expect_download() as download:
        page.locator(".menu summary").first.click()
        page.get_by_role("button", name="Save as a picture").click()
    name = f"{figure.title.lower().replace(' ', '-')}.png"
    assert download.value.suggested_filename == name
    framed = np.asarray(Image.open(download.value.path()).convert("RGBA")).astype(int)
    assert framed.shape == (1260, 2400, 4) and framed[..., 3].min() == 255
    for edge in (framed[:, :76], framed[:, -76:], framed[:44], framed[-24:]):
        assert np.ptp(edge, axis=(0, 1)).max() == 0, "empty to the corners"
    assert (np.abs(framed - [168, 83, 0, 255]).max(-1) < 3).sum() > 400, "what stands in it"

    def picture(width, height):
        clip = {"x": 0, "y": 0, "width": width, "height": height}
        data = page.screenshot(clip=clip, full_page=True)
        return np.asarray(Image.open(io.BytesIO(data)).convert("RGB"))

    page.mouse.move(-1, -1)  # what lies under a mouse looks otherwise
    size = page.evaluate(f"({ALONE})(0)")
    screen = picture(*size)
    page.evaluate(f"({AS_SAVED})(0)")
    assert not differences(screen, picture(*size))


@pytest.fixture(scope="module")
def hostile(tabs, tmp_path_factory, name):
    """The page of a figure whose tokens are HOSTILE."""
    with opener(tabs, tmp_path_factory.mktemp("hostile")) as open_figures:
        yield open_figures(made(EXAMPLES[name].hostile), width=PHONE)


@WITH_WORDS
def test_hostile_tokens_are_text(hostile, name):
    assert overflow(hostile) == [0, 0]
    figure = hostile.locator(".tl-figure")
    assert (
        figure.evaluate("h => h.shadowRoot.querySelectorAll('img, script, .token *').length") == 0
    )
    labels = figure.locator(EXAMPLES[name].labels)
    assert labels.evaluate_all("all => all.map((node) => node.textContent)") == HOSTILE


@each([name for name in SAVED if EXAMPLES[name].hostile], weekly={*SAVED} - KINDS)
def test_hostile_tokens_are_saved(hostile, name):
    with hostile.expect_download() as download:
        hostile.locator(".menu summary").first.click()
        hostile.get_by_role("button", name="Save as a picture").click()
    assert Image.open(download.value.path()).size == (2400, 1260)
