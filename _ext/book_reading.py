"""Two depths: a "Closer look" of a chapter is folded to its heading until the reader opens it.

`dev/fold.py` says what is marked and how Jupyter and Colab fold it; here the site does. A fold
opens by itself where the address leads into it, and on paper, where solutions stand at the end. The
contents beside the page do not list it.

A chapter has two halves, the way up to *You have it*, and *The workshop*. The contents show both.
"""

import re

from bs4 import BeautifulSoup
from docutils import nodes

from attention_by_hand.exercises.cells import CLOSER_LOOK

REST, WORKSHOP = "you-have-it", "the-workshop"
CHAPTER = re.compile(r"(\d\d)-[\w-]+\.html$")
CARD = (
    '<img class="next-card" src="../_static/cards/card-{}.svg" alt="" width="320" height="160" '
    'loading="lazy">'
)


def fold_closer_looks(app, document):
    """Fold each section that begins "Closer look:" into a `details` under its heading."""
    for section in list(document.findall(nodes.section)):
        title = section.next_node(nodes.title)
        if title is None or title.parent is not section:
            continue
        if not title.astext().startswith(CLOSER_LOOK):
            continue
        at = section.index(title)
        section.insert(at, nodes.raw("", '<details class="closer-look"><summary>', format="html"))
        section.insert(at + 2, nodes.raw("", "</summary>", format="html"))
        section.append(nodes.raw("", "</details>", format="html"))


def picture_the_next(app, document):
    """At the place to rest, set the card of the next chapter beside the links that lead on."""
    for section in document.findall(nodes.section):
        if REST not in section["ids"]:
            continue
        for link in section.children[-1].findall(nodes.reference):
            chapter = CHAPTER.match(link.get("refuri", ""))
            if chapter:
                picture = CARD.format(chapter[1])
                section.children[-1].insert(0, nodes.raw("", picture, format="html"))
                break


OPEN_FOLDS = """
const open = (fold) => fold && (fold.open = true) && open(fold.parentElement.closest("details"));
const arrive = () => {
  const target = location.hash &&
      document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target) {
    open(target.closest("details") ?? target.querySelector("details.closer-look"));
    target.scrollIntoView();
  }
};
addEventListener("hashchange", arrive);
addEventListener("DOMContentLoaded", arrive);
const exercises = "section[id^=exercise-]";
const openAll = () => document.querySelectorAll("article details").forEach((fold) => {
  fold.open = true;
});
// On paper, what solves an exercise stands after all others, on a sheet of its own.
let putBack = [];
const gather = () => {
  const folds = [...document.querySelectorAll(`${exercises} > details`)];
  if (!folds.length) return;
  const end = document.createElement("section");
  end.className = "solutions";
  end.append(Object.assign(document.createElement("h2"), { textContent: "Solutions" }));
  for (const fold of folds) {
    const title = fold.closest(exercises).querySelector("h3").cloneNode(true);
    const place = document.createComment("solution");
    fold.replaceWith(place);
    end.append(title, fold);
    putBack.push(() => place.replaceWith(fold));
  }
  document.querySelector("article > section").append(end);
  putBack.push(() => end.remove());
};
const scatter = () => {
  for (const undo of putBack) undo();
  putBack = [];
};
const first = { capture: true }; // before the figures are placed
addEventListener("beforeprint", openAll, first);
addEventListener("beforeprint", gather, first);
addEventListener("afterprint", scatter);
// A print waits for no picture, and the letters of a plot come after the plot: so all are fetched
// once the page has rested.
const unhurried = window.requestIdleCallback ?? setTimeout;
addEventListener("load", () => setTimeout(() => unhurried(() => {
  for (const picture of document.querySelectorAll("article img[loading=lazy]")) {
    picture.loading = "eager";
  }
}), 3000));
"""


def show_halves(contents):
    """Put the sections of a chapter under *The way* and *The workshop*, with *You have it* between
    the two.
    """
    rest, workshop = (contents.find("a", href=f"#{name}") for name in (REST, WORKSHOP))
    if not rest or not workshop:
        return
    rest, workshop = rest.find_parent("li"), workshop.find_parent("li")
    begin = contents.new_tag("li", attrs={"class": "book-half"})
    label = contents.new_tag("span")
    label.string = "The way"
    for item, sections in (
        (begin, rest.find_previous_siblings("li")[::-1]),
        (workshop, workshop.find_next_siblings("li")),
    ):
        shown = {"class": "pst-show_toc_level nav section-nav flex-column"}
        below = contents.new_tag("ul", attrs=shown)
        below.extend(section.extract() for section in sections)
        item.append(below)
    begin.insert(0, label)
    rest.insert_before(begin)
    rest["class"].append("book-rest")
    workshop["class"].append("book-half")


def list_sections_only(app, pagename, templatename, context, doctree):
    """The contents beside a page have its sections, not what is below them, and both halves of a
    chapter.
    """
    made = context.get("generate_toc_html")

    def sections(*args, **kwargs):
        contents = BeautifulSoup(str(made(*args, **kwargs)), "html.parser")
        for below in contents.select("li ul"):
            below.decompose()
        show_halves(contents)
        return str(contents)

    if made:
        context["generate_toc_html"] = sections


MAP = re.compile(r'<div class="tl-where".*?</p></div>', re.DOTALL)


def repeat_map(app, pagename, templatename, context, doctree):
    """The small map of the machine once more, for under the contents where there is room."""
    found = MAP.search(context.get("body", ""))
    context["small_map"] = found[0] if found else ""
