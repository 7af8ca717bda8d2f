"""A page for each figure, where it stands alone: to play with, to send, and to embed.

What the page shows and says is in `chapters/gallery.ipynb` already. A row of the gallery's wall
leads to a section there, and this section has a heading, a paragraph that says what the figure is
and what to try, and the figure. On the site all links to such a section lead to the page, those of
the wall too, and so does a link where the notebook has the figure: all of them together would be
the heaviest page of the book.
`templates/figure.html` is a figure's page; it is light, has no part of the theme, and in a frame
shows the figure alone.
"""

import html
import re
from dataclasses import dataclass

from docutils import nodes

GALLERY = "chapters/gallery"
KIND = re.compile(r'<div class="tl-figure" data-figure="(\w+)"')
SIZE = 600, 315  # of the picture beside a link to the page
IMAGE = '<img src="../{}" width="320" height="160" loading="lazy" alt="{}" />'
FOR_PROGRAMMERS = "with-data-of-your-own"  # the section after the wall, with which the fold begins
FOLD = "<details><summary>With data of your own: what each figure takes, for programmers</summary>"
LINK = '<p><a class="reference internal" href="{}">{}, on its page</a></p>'
# The page in the frame tells how high its figure is, now and whenever the frame gets another width.
EMBED = (
    '<iframe src="{}" title="{}" width="100%" height="600" style="border: 0" '
    "onload=\"window.addEventListener('message', (told) => "
    'told.source === this.contentWindow && (this.height = Number(told.data)))"></iframe>'
)


def figures_in(node):
    """The figures below a node, by the name of their class: raw HTML."""
    found = ((KIND.search(raw.astext()), raw) for raw in node.findall(nodes.raw))
    return {kind[1]: raw for kind, raw in found if kind}


def page_of(kind):
    """Where a figure has its page; `pageOf` in `host.js` says the same."""
    return "figures/" + re.sub(r"\B([A-Z])", r"-\1", kind).lower()


@dataclass
class Exhibit:
    """A row of the wall, and the section that it leads to."""

    kind: str
    figure: nodes.raw
    title: str
    paragraph: nodes.paragraph
    link: nodes.reference
    picture: nodes.image

    def drawing(self):
        """Its card on the wall; its colours are for light pages and for dark ones."""
        return IMAGE.format(self.picture["uri"], html.escape(self.picture["alt"]))

    def shot(self):
        """The picture that other sites show beside a link to its page."""
        return f"_static/{page_of(self.kind)}.webp"


def exhibits(gallery):
    sections = {name: part for part in gallery.findall(nodes.section) for name in part["ids"]}
    for row in gallery.findall(nodes.row):
        for picture in row.findall(nodes.image):
            link = next(one for one in row.findall(nodes.reference) if "refid" in one)
            section = sections[link["refid"]]
            ((kind, figure),) = figures_in(section).items()
            paragraph = next(section.findall(nodes.paragraph))
            yield Exhibit(kind, figure, section[0].astext(), paragraph, link, picture)


def lead_to_pages(app, document):
    """A link to a figure's section of the gallery leads to its page instead; in the gallery so does
    a link in the place of the figure, and all that follows the wall is folded.
    """
    here, address_of = app.env.docname, app.builder.get_relative_uri
    gallery = address_of(here, GALLERY)
    pages = app.env.metadata[GALLERY].get("pages", {})
    for link in document.findall(nodes.reference):
        address, _, section = link.get("refuri", f"#{link.get('refid')}").partition("#")
        if address == gallery and section in pages:
            link["refuri"] = address_of(here, pages[section])
    if here == GALLERY:
        lighten(document)


def lighten(gallery):
    for exhibit in list(exhibits(gallery)):
        link = LINK.format(exhibit.link["refuri"], html.escape(exhibit.title))
        for node, text in ((exhibit.picture, exhibit.drawing()), (exhibit.figure, link)):
            node.parent.replace(node, nodes.raw("", text, format="html"))
    page = next(gallery.findall(nodes.section))
    (begin,) = (part for part in page.children if FOR_PROGRAMMERS in part.get("ids", []))
    page.insert(page.index(begin), nodes.raw("", FOLD, format="html"))
    page.append(nodes.raw("", "</details>", format="html"))


def note(app, doctree):
    """Remember which figures a page has, and of the gallery, the page for each section."""
    metadata = app.env.metadata[app.env.docname]
    metadata["figures"] = [*figures_in(doctree)]
    if app.env.docname == GALLERY:
        metadata["pages"] = {one.link["refid"]: page_of(one.kind) for one in exhibits(doctree)}


def pages(app):
    """The figures' pages, with the chapters that use them."""
    env = app.env
    if GALLERY not in env.found_docs:
        return
    root = app.config.root_doc
    others = [name for name in env.collect_relations() if name != GALLERY]
    for exhibit in exhibits(env.get_doctree(GALLERY)):
        page = page_of(exhibit.kind)
        address = f"{app.config.html_baseurl}{page}.html"
        yield (
            page,
            {
                "title": exhibit.title,
                "body": exhibit.figure.astext(),
                "words": app.builder.render_partial(exhibit.paragraph)["fragment"],
                "stands_in": [
                    (name, "The first page" if name == root else env.titles[name].astext())
                    for name in others
                    if exhibit.kind in env.metadata[name].get("figures", [])
                ],
                "gallery": GALLERY,
                "embed": EMBED.format(address, html.escape(exhibit.title)),
                "description": exhibit.paragraph.astext(),
                "picture": (exhibit.shot(), SIZE, exhibit.title),
            },
            "figure.html",
        )
