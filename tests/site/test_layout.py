"""How a page reads: the length of its lines, what its first screen shows, where code and contents
stand, in what letters.
"""

import re
import sys

import pytest
from conftest import ROOT

sys.path.insert(0, str(ROOT / "_ext"))
from book_cells import only_calls  # noqa: E402
from book_pictures import dark_twin, with_minus_signs  # noqa: E402

from attention_by_hand import palette  # noqa: E402

CHAPTERS = sorted(path.stem for path in (ROOT / "chapters").glob("[01]*.ipynb"))

# Letters to a line of each long paragraph, but for its last line
LETTERS = """() => [...document.querySelectorAll("article p:not(.book-caption)")]
    .filter((p) => p.textContent.length > 250 && p.checkVisibility())
    .filter((p) => !p.closest("blockquote, li, .cell, details"))
    .map((p) => {
        const range = document.createRange();
        range.selectNodeContents(p);
        const height = parseFloat(getComputedStyle(p).lineHeight);
        const lines = Math.round(range.getBoundingClientRect().height / height);
        return p.textContent.length / (lines - 0.5);
    })"""


def test_a_line_has_about_66_letters(look_at):
    for width in (1280, 1440, 1920):
        letters = look_at("chapters/02-query-key-value.html", width).evaluate(LETTERS)
        assert len(letters) > 5
        assert 58 < sum(letters) / len(letters) < 74, width


def test_no_folded_code_stands_above_what_it_makes(soup):
    for chapter in CHAPTERS:
        page = soup(f"chapters/{chapter}.html")
        assert not page.select("details.hide")
        for cell in page.select(".cell:has(> .cell_output)"):
            parts = [" ".join(child.get("class", [])) for child in cell.find_all(recursive=False)]
            code = cell.find(class_="cell_input")
            if cell.find(class_="tl-figure") and code and only_calls(code.get_text()):
                assert code.parent.name == "details" and parts.index("code") > 0, cell["id"]
        (rest,) = page.select("details.rest-of-code")
        assert "use_style()" in rest.get_text(), "set-up stands at the end"
        folded = [cell.get_text() for cell in page.select("details.code")]
        assert not [code for code in folded if "Prediction(" in code]


def test_the_code_of_a_picture_is_a_link_under_it_that_a_key_opens(look_at):
    page = look_at("chapters/04-many-heads.html")
    cell = page.locator(".cell:has(img.in-light)").first
    link = cell.locator("details.code > summary")
    assert link.bounding_box()["y"] > cell.locator("img.in-light").bounding_box()["y"] + 50
    code = cell.locator("details.code .cell_input")
    assert not code.is_visible()
    link.focus()
    page.keyboard.press("Enter")
    assert code.is_visible()


def test_a_link_to_a_cell_of_the_set_up_opens_it(visit):
    page = visit("chapters/04-many-heads.html").page
    name = page.locator(".rest-of-code .cell[id]").first.get_attribute("id")
    page.goto(f"{page.url}#{name}")
    assert page.locator(f"[id='{name}']").is_visible()


def test_no_two_empty_lines_stand_between_functions(soup):
    for page in (*CHAPTERS, "engine", "sources"):
        shown = soup(f"chapters/{page}.html").select(".cell_input pre, .literal-block-wrapper pre")
        code = [one.get_text() for one in shown]
        assert code and not [text for text in code if re.search(r"\n\s*\n\s*\n", text)], page


@pytest.mark.parametrize(
    ("code", "calls"),
    [("Recall(length=12)", True), ("print(1)", False), ("x = A()\nA()", False), ("%A()", False)],
)
def test_what_only_calls_up_a_figure(code, calls):
    assert only_calls(code) == calls


@pytest.mark.parametrize("over", ["http", "file"])
def test_the_text_is_set_in_a_font_of_the_site(site, visit, over):
    opened = visit("chapters/01-words-to-vectors.html", over=over)
    opened.page.evaluate("document.fonts.ready")
    loaded = opened.page.evaluate(
        "[...document.fonts].filter(f => f.status === 'loaded')"
        ".map(f => f.family + (/2E80/.test(f.unicodeRange) ? ', Chinese' : ''))"
    )
    assert {"Attention Serif", "Attention Sans", "Attention Signs, Chinese"} <= {
        name.replace('"', "") for name in loaded
    }
    assert opened.blocked == [] and opened.errors == []
    for kind, number, most in (("serif", 4, 120_000), ("sans", 2, 45_000)):
        fonts = [*(site / "_static").glob(f"{kind}*.woff2")]
        assert len(fonts) == number and sum(font.stat().st_size for font in fonts) <= most


def test_italics_are_those_of_the_site_on_a_page_from_a_disk(visit):
    page = visit("chapters/12-what-has-changed.html", over="file").page
    page.evaluate("document.fonts.ready")
    widths = page.locator("article p > em").last.evaluate("""(em) =>
        ["", "'Attention Serif', monospace", "'Times as wide', monospace"].map((fonts) => {
            em.style.fontFamily = fonts;
            return em.getBoundingClientRect().width;
        })""")
    drawn, ours, stand_in = widths
    assert drawn == ours != stand_in


def test_the_font_is_asked_for_before_the_style_that_names_it_has_come(visit):
    page = visit("index.html", over="http").page
    held_back = []
    page.route("**/book.css*", lambda route: held_back.append(route))
    with page.expect_request("**/serif.woff2"):
        page.reload(wait_until="commit")
    page.wait_for_timeout(100)
    for route in held_back:
        route.continue_()
    assert held_back


def test_nothing_moves_when_the_font_comes_late(visit):
    page = visit("chapters/04-many-heads.html").page
    page.add_init_script("""
        window.shift = 0;
        const add = (entry) => (shift += entry.value);
        new PerformanceObserver((list) => list.getEntries().forEach(add))
            .observe({ type: "layout-shift", buffered: true });
    """)
    waiting = []
    page.route("**/s*.woff2", lambda route: waiting.append(route))
    page.reload(wait_until="domcontentloaded")
    page.wait_for_timeout(500)
    assert waiting
    while waiting or not page.evaluate("document.fonts.status === 'loaded'"):
        for route in waiting:
            route.continue_()
        waiting.clear()
        page.wait_for_timeout(100)
    page.evaluate("document.fonts.ready")
    page.wait_for_timeout(300)
    assert page.evaluate("shift") < 0.02


def test_on_a_desk_an_option_is_not_broken_behind_its_hyphens(look_at):
    page = look_at("chapters/your-own-sentences.html")
    lines = page.locator("article :not(pre) > code").evaluate_all("""all =>
        all.filter(code => code.textContent.startsWith("--"))
            .flatMap(code => [...code.querySelectorAll(".pre")])
            .map(word => word.getClientRects().length)""")
    assert len(lines) > 8 and {*lines} == {1}


def test_on_paper_the_lines_are_as_long_as_the_sheet_is_wide(look_at):
    page = look_at("chapters/04-many-heads.html", width=680)
    page.emulate_media(media="print")
    width = page.locator("article p").nth(1).bounding_box()["width"]
    assert 43 * 13 - 1 <= width <= 680


WITH_CAPTION = """[...document.querySelectorAll(".cell:has(> .cell_output > img.in-light)")]
    .filter(cell => !cell.closest("details") && cell.querySelector(":scope > .book-caption"))
    .map(cell => {
        const picture = cell.querySelector("img.in-light");
        const caption = cell.querySelector(".book-caption").getBoundingClientRect();
        const prints = cell.querySelectorAll(".cell_output > .output").length;
        const { width, bottom } = picture.getBoundingClientRect();
        return [prints, width / picture.getAttribute("width"), width, caption.top >= bottom - 1];
    })"""


def test_a_picture_is_as_wide_as_the_text_above_its_caption(look_at):
    for viewport in (1280, 390):
        seen = look_at("chapters/12-what-has-changed.html", viewport).evaluate(WITH_CAPTION)
        assert {prints > 0 for prints, *_ in seen} == {True, False}
        assert all(below for *_, below in seen)
        if viewport == 1280:
            assert all(abs(grown - 1.435) < 0.002 for _, grown, *_ in seen)
            assert 590 < max(width for _, _, width, _ in seen) <= 601


def test_46_printed_letters_stand_on_a_phone(look_at):
    page = look_at("chapters/02-query-key-value.html", width=390)
    printed = page.locator(".cell_output .output > div.highlight > pre").first
    fits = """pre => {
        const text = pre.innerHTML;
        pre.textContent = 'm'.repeat(46);
        const isWhole = pre.scrollWidth <= pre.clientWidth;
        pre.innerHTML = text;
        return isWhole;
    }"""
    assert printed.evaluate(fits)


GAP = """() => {
    const cell = document.querySelector("article [data-figure=Prediction]").closest(".cell");
    const above = cell.previousElementSibling.getBoundingClientRect();
    return cell.getBoundingClientRect().top - above.bottom;
}"""


def test_the_map_in_the_margin_leaves_no_gap_above_a_question(look_at):
    for chapter in ("02-query-key-value", "05-masks"):
        assert look_at(f"chapters/{chapter}.html", width=1440).evaluate(GAP) < 60, chapter


def test_the_contents_have_sections_only_and_light_the_one_that_is_read(look_at):
    page = look_at("chapters/05-masks.html")
    names = page.locator(".book-sections a")
    headings = page.locator("article h2").evaluate_all(
        "all => all.filter(one => !one.closest('details')).map(one => one.parentElement.id)"
    )
    links = names.evaluate_all("all => all.map(link => link.hash.slice(1))")
    assert links == headings and len(links) > 4
    reached = 0
    for name in [*links[:-1], *links[-2::-1]]:
        top = page.evaluate(
            """name => {
                const section = document.getElementById(name);
                if (!section.checkVisibility()) return Infinity; // nothing was predicted
                const top = () => section.getBoundingClientRect().top;
                scrollTo({ top: scrollY + top() - 80, behavior: 'instant' });
                return top();
            }""",
            name,
        )
        if top > 90:  # a short section at the end never comes to the top
            continue
        reached += 1
        page.wait_for_function(
            "name => document.querySelector('.book-sections .active')?.hash === `#${name}`",
            arg=name,
        )
    assert reached > len(links)
    assert page.locator(".book-sections .active").count() == 1


def test_the_contents_lead_through_both_halves_in_their_order(soup):
    for chapter in CHAPTERS:
        page = soup(f"chapters/{chapter}.html")
        items = page.select(".book-sections > ul > li")
        way, rest, workshop = ([link["href"] for link in item.select("a")] for item in items)
        headings = page.select("article h2:not(details h2)")
        assert [*way, *rest, *workshop] == [f"#{title.parent['id']}" for title in headings]
        assert items[0].find(recursive=False).get_text() == "The way" and len(way) > 1
        assert rest == ["#you-have-it"] and workshop[0] == "#the-workshop" and len(workshop) > 3


@pytest.mark.parametrize("width", [1280, 390])
def test_between_the_halves_there_is_a_place_to_rest(look_at, width):
    page = look_at("chapters/05-masks.html", width)
    size = "one => parseFloat(getComputedStyle(one).fontSize)"
    rest = page.locator("#you-have-it")
    quote, text = rest.locator("blockquote p").first, rest.locator("> p").first
    assert quote.evaluate(size) > 1.15 * text.evaluate(size)
    assert quote.bounding_box()["x"] + quote.bounding_box()["width"] <= width
    end = rest.locator("> p").last
    assert end.get_by_role("link", name="stay for the workshop").count() == 1
    assert end.bounding_box()["y"] > rest.locator("section[id^=exercise]").bounding_box()["y"]
    if width > 1200:
        below = page.locator(".book-half ul a")
        assert all(below.nth(n).is_visible() for n in (0, below.count() - 1))


def test_on_a_phone_the_bar_goes_while_one_reads_on_and_cut_code_fades(look_at):
    page = look_at("chapters/05-masks.html", width=390)
    bar = page.locator(".bd-header-article")
    shown = "bar => bar.getBoundingClientRect().bottom > 10"
    assert bar.evaluate(shown)
    page.evaluate("scrollTo({top: 1500, behavior: 'instant'})")
    page.wait_for_function(
        "document.querySelector('.bd-header-article').getBoundingClientRect().bottom <= 1"
    )
    page.evaluate("scrollTo({top: 1300, behavior: 'instant'})")
    page.wait_for_function(
        "document.querySelector('.bd-header-article').getBoundingClientRect().bottom > 40"
    )
    code = page.locator("article pre.goes-on").first.element_handle()
    code.evaluate("pre => pre.scrollTo({left: pre.scrollWidth, behavior: 'instant'})")
    page.wait_for_function("pre => !pre.classList.contains('goes-on')", arg=code)


def svg(*colours):
    return "<svg >" + "".join(f'<path style="fill: {colour}"/>' for colour in colours) + "</svg>"


def test_in_the_dark_a_plot_has_the_colours_of_the_figures():
    names = [*palette.COLOURS]
    light = [palette.COLOURS[name] for name in names] + [palette.WEIGHTS[0], palette.WEIGHTS[-1]]
    dark = [palette.DARK[name] for name in names] + [
        palette.DARK_WEIGHTS[0],
        palette.DARK_WEIGHTS[-1],
    ]
    assert re.findall("#[0-9a-f]{6}", dark_twin(svg(*light)))[1:] == dark
    ground, ink = re.findall("#[0-9a-f]{6}", dark_twin(svg("#ffffff", "#000000")))[1:]
    assert int(ground[1:3], 16) < 0x20 and int(ink[1:3], 16) > 0xD0, "ink and paper change places"


def test_numbers_of_a_plot_have_a_minus_sign():
    text = "<text>-2.15</text><text>word-by-word</text><text>1e-3, x-1</text>"
    assert with_minus_signs(text) == text.replace("-2.15", "−2.15")


def test_a_page_asks_for_the_pictures_of_its_own_theme_only(visit):
    for scheme, other in (("light", "-dark.svg"), ("dark", None)):
        page = visit("chapters/02-query-key-value.html", color_scheme=scheme).page
        page.locator(f"img.in-{scheme}").first.scroll_into_view_if_needed()
        page.wait_for_function(
            "name => document.querySelector(`img.in-${name}`).naturalWidth > 0", arg=scheme
        )
        asked = page.evaluate("performance.getEntriesByType('resource').map((one) => one.name)")
        drawn = [name for name in asked if "/_images/" in name]
        assert drawn and all(name.endswith("-dark.svg") == (other is None) for name in drawn)


SENT = {
    "BreakIt": 'index.html#BreakIt?off=["scaling"]',
    "SoftmaxScale": "chapters/03-why-root-d-k.html#SoftmaxScale-2?d_k=3",
    "LiveTranslator": "chapters/09-reading-attention.html#LiveTranslator?temperature=1",
}
SOMETIMES = [
    pytest.param(figure, over, width, marks=pytest.mark.weekly)
    for figure in SENT
    for over in ("http", "file")
    for width in (390, 1280, 1440)
]


@pytest.mark.parametrize(
    ("figure", "over", "width"),
    [
        ("BreakIt", "http", 390),
        ("SoftmaxScale", "file", 1280),
        ("LiveTranslator", "http", 1440),
        *SOMETIMES,
    ],
)
def test_who_is_sent_a_figure_sees_it_first(visit, figure, over, width):
    page = visit(SENT[figure], over=over, width=width).page
    page.evaluate("document.fonts.ready")
    page.wait_for_timeout(300)
    home = page.locator(f"[data-figure={figure}]").nth(int("-2?" in SENT[figure]))
    header = page.locator(".bd-header-article").bounding_box()
    assert header["y"] + header["height"] <= home.bounding_box()["y"] < 0.15 * 900


def test_a_line_at_the_top_says_how_far_a_page_has_been_read(look_at):
    page = look_at("chapters/05-masks.html")
    width = """() => new DOMMatrix(getComputedStyle(document.body, "::before").transform).a"""
    assert page.evaluate(width) == 0
    page.evaluate("scrollTo({ top: document.documentElement.scrollHeight, behavior: 'instant' })")
    page.wait_for_function(f"({width})() > 0.95")


def test_the_place_to_rest_shows_the_card_of_the_next_chapter(look_at):
    page = look_at("chapters/05-masks.html")
    card = page.locator("#you-have-it .next-card")
    card.scroll_into_view_if_needed()
    assert card.get_attribute("src").endswith("cards/card-06.svg")
    page.wait_for_function(
        "document.querySelector('.next-card').complete "
        "&& document.querySelector('.next-card').naturalWidth > 0"
    )


SIZE_ON_THE_MAP = """() => {
    const svg = [...document.querySelectorAll(".tl-where svg")].find(svg => svg.checkVisibility());
    return 12 * svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
}"""


def test_the_small_map_stands_under_the_contents_with_letters_that_can_be_read(look_at):
    page = look_at("chapters/05-masks.html", width=1280)
    under = page.locator(".small-map")
    contents = page.locator(".bd-sidebar-secondary .book-sections").last.bounding_box()
    assert under.bounding_box()["y"] >= contents["y"] + contents["height"]
    assert page.evaluate(SIZE_ON_THE_MAP) >= 10.9
    sidebar = page.locator(".bd-sidebar-secondary")
    assert sidebar.evaluate("bar => bar.scrollWidth <= bar.clientWidth")
    shown = page.locator(".bd-article .in-the-margin")
    assert not shown.is_visible()
    page.set_viewport_size({"width": 1100, "height": 800})
    assert shown.is_visible() and not under.is_visible()
