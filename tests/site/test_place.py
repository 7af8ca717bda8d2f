"""The front page offers to go on where a reader was."""

import pytest

CHAPTER = "chapters/05-masks.html"


def read_as_far_as(page, name):
    """Bring the section of this name to the top of the screen, and wait until it is lit."""
    page.evaluate(
        """name => {
            const section = document.getElementById(name);
            scrollTo({ top: scrollY + section.getBoundingClientRect().top - 80,
                behavior: "instant" });
        }""",
        name,
    )
    page.wait_for_function(
        "name => document.querySelector('.book-sections .active')?.hash === `#${name}`", arg=name
    )


def front_page(page):
    page.goto(page.url.replace(CHAPTER, "index.html"))
    return page.locator(".go-on")


@pytest.mark.parametrize("over", ["http", "file"])
def test_who_comes_back_finds_the_section_that_was_read_last(visit, over):
    opened = visit("index.html", over=over)
    page = opened.page
    assert page.locator(".go-on").count() == 0, "nothing has been read yet"
    home = page.url
    page.goto(home.replace("index.html", CHAPTER))
    third = page.locator(".book-sections a").nth(2)
    name = third.evaluate("link => link.hash.slice(1)")
    title = third.inner_text()
    read_as_far_as(page, name)
    link = front_page(page).get_by_role("link")
    assert link.inner_text() == f"Go on: chapter 5, {title}"
    link.click()
    page.wait_for_url(f"**/{CHAPTER}#{name}")
    assert page.locator(f"section[id='{name}']").bounding_box()["y"] < 300
    assert opened.errors == [] and opened.blocked == []


def test_a_chapter_that_was_only_opened_is_offered_from_its_beginning(visit):
    link = front_page(visit(CHAPTER).page).get_by_role("link")
    assert link.inner_text() == "Go on: chapter 5"
    assert link.get_attribute("href") == CHAPTER


@pytest.mark.parametrize(
    "address, name",
    [
        ("chapters/your-own-sentences.html", "Your own sentences"),
        ("chapters/glossary.html", "Glossary"),
        ("chapters/teach/lesson-05.html", None),
    ],
)
def test_every_page_is_offered_by_its_name(visit, address, name):
    page = visit(address).page
    heading = page.locator("h1").evaluate("h1 => h1.firstChild.textContent")
    page.goto(page.url.replace(address, "index.html"))
    link = page.locator(".go-on").get_by_role("link")
    assert link.inner_text() == f"Go on: {name or heading}"
    assert link.get_attribute("href") == address


def test_the_place_can_be_forgotten(visit):
    page = visit(CHAPTER).page
    offered = front_page(page)
    offered.get_by_role("button", name="forget this place").press("Enter")
    assert offered.count() == 0
    assert page.evaluate("document.activeElement.textContent").startswith("Compute one")
    page.reload()
    assert page.get_by_role("link", name="Compute one").is_visible() and offered.count() == 0
    assert page.evaluate("localStorage.getItem('place')") is None


NO_PLACES = [
    "no JSON",
    "null",
    '{"address": "https://elsewhere.example/chapters/05-masks.html", "section": ""}',
    '{"address": "javascript:alert(1)//chapters/05-masks.html", "section": ""}',
    '{"section": "The future"}',
]


def test_what_is_no_place_of_the_book_is_not_offered(visit):
    opened = visit("index.html")
    for kept in NO_PLACES:
        opened.page.evaluate("kept => localStorage.setItem('place', kept)", kept)
        opened.page.reload()
        opened.page.get_by_role("link", name="Compute one").wait_for()
        assert opened.page.locator(".go-on").count() == 0 and opened.errors == [], kept


def test_a_heading_is_offered_as_text(visit):
    page = visit("index.html").page
    page.evaluate(
        """address => localStorage.setItem("place",
            JSON.stringify({ address, page: "chapter 5", section: "<img src=x>" }))""",
        CHAPTER,
    )
    page.reload()
    link = page.locator(".go-on a")
    assert link.inner_text() == "Go on: chapter 5, <img src=x>" and link.locator("img").count() == 0


def test_where_nothing_is_kept_nothing_is_missing(visit):
    opened = visit(CHAPTER)
    opened.page.add_init_script(
        "Object.defineProperty(window, 'localStorage', {configurable: true, get() { throw new "
        "DOMException('no') }})"
    )
    opened.page.reload()
    assert front_page(opened.page).count() == 0
    assert opened.page.get_by_role("link", name="Compute one").is_visible()
    assert opened.errors == []
