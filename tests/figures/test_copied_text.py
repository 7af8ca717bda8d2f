"""What a figure has said, as text to paste: *Copy what it said* in its menu."""

from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

from figure_examples import settled, unfold

from attention_by_hand.figures import BreakIt, Masks, Recall, Writer

CLIPBOARD = {"permissions": ["clipboard-read", "clipboard-write"]}


def copied(page):
    """The lines that the menu copies."""
    settled(page)
    page.locator(".menu summary").click()
    page.get_by_role("button", name="Copy what it said").click()
    page.locator("[role=status]", has_text="copied").wait_for(state="attached")
    return page.evaluate("navigator.clipboard.readText()").split("\n")


def test_break_it_says_both_translations_and_what_is_off(open_figures):
    page = open_figures(BreakIt(), **CLIPBOARD)
    german = "German: der Mann trinkt morgen Abend heißen Tee."
    whole = "The whole translator writes: the man will drink hot tea tomorrow evening."
    *before, first = copied(page)
    assert before == [german, whole] and first.startswith("Without word order it writes: will the")
    page.get_by_role("switch", name="a division by 4").click()
    *before, without = copied(page)
    assert before == [german, whole]
    written = page.locator("figure.figure").get_attribute("data-written")
    start = "Without word order, a division by 4 it writes: "
    assert without.startswith(start)
    words = without.removeprefix(start)
    assert words == written.replace(" .", "."), "all words, of how many ever"


def test_on_the_web_what_is_copied_ends_with_the_address_of_its_state(open_figures):
    page = open_figures(BreakIt(), **CLIPBOARD)
    html = Path(url2pathname(urlsplit(page.url).path)).read_text(encoding="utf-8")
    home = "http://localhost/figures/break-it.html"
    page.route(
        "http://localhost/**", lambda route: route.fulfill(body=html, content_type="text/html")
    )
    page.context.grant_permissions(["clipboard-read", "clipboard-write"], origin="http://localhost")
    page.goto(home)
    page.get_by_role("switch", name="a division by 4").click()
    *said, address = copied(page)
    assert said[-1].startswith("Without word order, a division by 4 it writes: ")
    assert address.startswith(f"{home}#BreakIt?") and "off=" in address


def test_the_writer_says_its_text_how_it_was_drawn_and_what_was_cut_out(open_figures):
    figure = Writer(temperature=0, text="ich habe", top_k=5, written=["die", "Tür"])
    page = open_figures(figure, **CLIPBOARD)
    drawn = "Temperature 0, top-k 5, top-p 0.9"
    assert copied(page) == ["Begun with: ich habe", "Written by the model: die Tür", drawn]
    unfold(page)
    page.get_by_role("switch", name="positions").click()
    page.get_by_role("switch", name="head 2 of layer 1").click()
    assert copied(page)[2:] == [drawn, "Cut out: positions, head 2 of layer 1"]


def test_the_writer_before_its_first_word_has_written_nothing(open_figures):
    page = open_figures(Writer(text=""), **CLIPBOARD)
    assert copied(page)[:2] == ["Begun with: nothing", "Written by the model: nothing yet"]


def test_recall_says_the_letters_and_what_each_model_made_of_them(open_figures):
    figure = Recall(length=16)
    page = open_figures(figure, **CLIPBOARD)
    read, vector, attention = figure.examples[figure.lengths.index(16)]
    lines = copied(page)
    assert lines[0] == f"16 letters to remember, here {read}"
    assert lines[1].startswith("one vector 2") and lines[1].endswith(f"% right, here {vector}")
    assert lines[2].startswith("attention 9") and lines[2].endswith(f"% right, here {attention}")


def test_recall_says_first_what_the_reader_kept(open_figures):
    page = open_figures(Recall(), reduced_motion="reduce", **CLIPBOARD)
    page.get_by_role("button", name="4 letters", exact=True).click()
    letters = page.locator("[role=status]").text_content().rsplit(": ", 1)[1].split(", ")
    page.locator(".finish:enabled").wait_for()
    wrong = "q" if letters[1] != "q" else "x"
    page.keyboard.type(f"{letters[0]}{wrong} {letters[3]}")
    page.keyboard.press("Enter")
    first = ["2 of 4. One vector: 3.6. Attention: 4.0.", "🟦🟧⬜🟦"]
    first.append(f"4 letters to remember, here {''.join(letters)}")
    assert copied(page)[:3] == first
    page.evaluate("navigator.clipboard.writeText('')")
    page.get_by_role("button", name="Copy", exact=True).click()
    page.wait_for_function("navigator.clipboard.readText().then((text) => text !== '')")
    assert page.evaluate("navigator.clipboard.readText()").split("\n")[:3] == first


def test_recall_does_not_give_away_what_the_reader_is_to_guess(open_figures):
    page = open_figures(Recall(length=16, prediction="0.1"), **CLIPBOARD)
    assert copied(page)[1] == "one vector not before your guess"


def test_it_is_copied_where_the_browser_gives_no_clipboard(open_figures):
    page = open_figures(Recall(length=16), **CLIPBOARD)
    page.evaluate("void (navigator.clipboard.writeText = () => Promise.reject())")
    assert copied(page)[0].startswith("16 letters")
    assert page.locator("textarea").count() == 0


def test_a_figure_without_words_has_nothing_to_copy(open_figures):
    page = open_figures(Masks())
    page.locator(".menu summary").click()
    assert page.get_by_role("button", name="Show the numbers").is_visible()
    assert page.get_by_role("button", name="Copy what it said").count() == 0


def test_a_browser_that_refuses_is_not_said_to_have_copied(open_figures):
    page = open_figures(BreakIt())
    page.evaluate(
        """() => {
        navigator.clipboard.writeText = () => Promise.reject(new Error("refused"));
        document.execCommand = () => false;
    }"""
    )
    settled(page)
    page.locator(".menu summary").click()
    page.get_by_role("button", name="Copy what it said").click()
    said = page.locator("[role=status]", has_text="does not let")
    said.wait_for(state="attached")
