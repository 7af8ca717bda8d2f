"""Queries, keys and values have the figures' colours, and nothing else has."""

import re

import pytest
from book_math import typesetter, with_roles
from book_roles import colour_words, coloured_letters, roles_named
from conftest import ROOT
from docutils import nodes

from attention_by_hand.palette import COLOURS, DARK

ROLES = ["query", "key", "value"]
CHAPTERS = sorted(path.stem for path in (ROOT / "chapters").glob("[01]*.ipynb"))


def paragraph(text, *formulas):
    """A paragraph of this text, with formulas at its end."""
    return nodes.paragraph("", text, *(nodes.math(tex, tex) for tex in formulas))


def test_letters_are_coloured_where_they_stand_and_not_where_they_mark():
    tex = r"\sum_{k=0}^{k} q_k^2 = \mathrm{Var}(QK^\top / \sqrt{d_k})\, V + \hat{W}^Q v"
    formula = with_roles(typesetter.set(tex, True), "KQVkqv")
    typesetter.close()
    found = re.findall(r'role-(\w+)"[^>]*><mjx-c class="mjx-c(\w+)', formula)
    assert found == [
        ("query", "1D45E"),
        ("query", "1D444"),
        ("key", "1D43E"),
        ("value", "1D449"),
        ("value", "1D463"),
    ]
    assert formula.count("1D458") == 4 and formula.count("1D444") == 2, "the others are there too"


@pytest.mark.parametrize(
    ("place", "tex", "beside", "letters"),
    [
        ("02", r"q \cdot k", [], "kq"),
        ("02", "V", [], "V"),
        ("03", r"\sqrt{d_k}", [], ""),
        ("06", r"k \cdot \omega_i", [], ""),
        ("06", r"q \leftarrow R_m q \qquad k \leftarrow R_k k", [], "kq"),
        ("06", "k", ["q"], "k"),
        ("10", "k n d^2", [], ""),
        ("12", r"QK^\top V", [], "KQV"),
        ("notation", "V", ["B", "T"], ""),
        ("notation", "V", ["Q", "K"], "V"),
        ("notation", "q", [r"\delta_{ky}"], ""),
    ],
)
def test_a_letter_that_means_something_else_is_not_coloured(place, tex, beside, letters):
    whole = paragraph("Of ", tex, *beside)
    assert coloured_letters(whole[1], place) == letters


@pytest.mark.parametrize(
    ("text", "roles"),
    [
        ("A query meets a key.", ["key", "query"]),
        ("Queries and keys make shares, and the values are mixed.", ROLES),
        ("Old keys and values are kept.", ["key", "value"]),
        ("Each key keeps the value of n.", []),
        ("Press a key: the value changes.", []),
        ("A query names a value.", []),
        ("The monkeys and values.", []),
        ("A query-key pair of key-value stores", []),
    ],
)
def test_a_paragraph_is_coloured_where_it_surely_means_the_roles(text, roles):
    assert sorted(roles_named(text)) == sorted(roles)


def test_the_first_word_of_each_role_is_coloured_and_the_text_stays():
    text = "The keys answer. A query asks the keys for `key`, and each value is mixed."
    before, after = text.split("`key`")
    link = '<a class="term" href="glossary.html#term-value" data-definition="A key">values</a>'
    whole = nodes.paragraph(
        "",
        "",
        nodes.Text(before),
        nodes.literal("", "key"),
        nodes.Text(after),
        nodes.emphasis("", "More values: "),
        nodes.raw("", link, format="html"),
    )
    colour_words(whole)
    marked = [(part.astext(), part["classes"]) for part in whole.findall(nodes.inline)]
    assert marked == [("keys", ["role-key"]), ("query", ["role-query"]), ("value", ["role-value"])]
    assert whole.astext() == text.replace("`", "") + "More values: " + link
    whole = paragraph("A query and a key add ")
    whole += nodes.raw("", link, format="html")
    colour_words(whole)
    assert whole[-1].astext() == link.replace('"term"', '"term role-value"')


@pytest.mark.site
def test_formulas_of_the_site_have_the_colours_and_those_of_training_have_none(soup):
    page = soup("chapters/02-query-key-value.html")
    shown = [" ".join(letter["class"]) for letter in page.select("mjx-mi[class*=role-]")]
    assert {one.split("role-")[1] for one in shown} == {*ROLES} and len(shown) > 10
    assert not page.select("mjx-script [class*=role-]"), "the k of d_k marks only"
    assert not soup("chapters/08-training.html").select("mjx-mi[class*=role-]")
    rows = soup("chapters/notation.html").select("tr:has(mjx-mi[class*=role-])")
    names = [row.td.get_text() for row in rows]
    assert names == ["Q, K, V", "q, k"]


@pytest.mark.site
@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_paragraph_has_a_colour_once(soup, chapter):
    for p in soup(f"chapters/{chapter}.html").select("article p:has([class*=role-])"):
        words = [word for word in p.select("[class*=role-]") if word.name != "mjx-mi"]
        found = [re.search(r"role-(\w+)", " ".join(word["class"]))[1] for word in words]
        assert len({*found}) == len(found), p.get_text()


@pytest.mark.site
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_letter_is_drawn_in_the_colour_of_its_role(visit, scheme):
    page = visit("chapters/02-query-key-value.html", color_scheme=scheme).page
    colours = COLOURS if scheme == "light" else DARK
    for role in ROLES:
        rgb = ", ".join(str(int(colours[role][i : i + 2], 16)) for i in (1, 3, 5))
        for kind in ("mjx-mi", "span"):
            first = page.locator(f"article {kind}.role-{role}").first
            assert first.evaluate("one => getComputedStyle(one).color") == f"rgb({rgb})"
