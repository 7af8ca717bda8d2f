"""What a page says of itself to other sites: a description, and the title, picture and words of its
card when shared; which fonts it will need; and what it is called at the foot of a printed sheet.

The front page has its description in `_config.yml`, a chapter has the question that stands on its
card, a figure's page what it says of the figure, any other page its first sentences. The addresses
in a card are whole, as cards ask; a book that lives nowhere yet has none, and its card no picture.
The page for addresses that lead nowhere, `404.html`, may be shown at any depth: see its template.
"""

import html
import json
import re
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

from book_sentences import sentences, without_tags
from sphinx.util import logging

LOGGER = logging.getLogger(__name__)

# What other sites show beside a link, its size, and what it is in words
CARD = (
    "_static/card.png",
    (1200, 630),
    "Threads from German words to English ones: where a small translator looks as it writes",
)
ICON = "_static/touch-icon.png"
FONTS = ["_static/serif.woff2", "_static/sans.woff2", "_static/serif-italic.woff2"]
# Asked for at once, the fonts are there before the first word is drawn; otherwise a page that is
# opened for the first time would have a font of the machine. A page on a disk may not ask so.
ASK_FOR_FONTS = """<script>
  for (const href of location.protocol === "file:" ? [] : {addresses}) {{
    const font = document.createElement("link");
    const asked = {{ rel: "preload", as: "font", type: "font/woff2", crossOrigin: "", href }};
    document.head.append(Object.assign(font, asked));
  }}
</script>"""
COLOURS = {"light": "#ffffff", "dark": "#14181d"}
LABEL = re.compile(r"^(?:The question|Predict first|Predict)\.\s+")
CARD_ROW = re.compile(r"^\| [^|]*\]\(([^)]+)\.ipynb\) \| ([^|]+?) \|", re.M)
FOOT = '<style media="print">@page {{ @bottom-left {{ content: {}; }} }}</style>'


@cache
def questions(front_page):
    """The questions on the front page's cards: {page: question}."""
    cells = json.loads(front_page.read_text(encoding="utf-8"))["cells"]
    return dict(CARD_ROW.findall("\n".join("".join(cell["source"]) for cell in cells)))


def describe(document, most=200):
    """The first sentences of a page, as many as fit."""
    text = ""
    for sentence in sentences(document):
        if LABEL.fullmatch(f"{sentence} "):
            continue
        longer = f"{text} {LABEL.sub('', sentence)}".strip()
        if len(text) > 60 and len(longer) > most:
            break
        text = longer
    return text if len(text) <= most else text[: most - 1].rsplit(" ", 1)[0] + "…"


def description(app, pagename, title, doctree):
    docstitle = app.config.html_title
    if doctree is None:
        return f"{title}: a page of the book {docstitle}."
    if pagename == app.config.root_doc:
        return app.config.book_description
    front_page = Path(app.env.doc2path(app.config.root_doc))
    return questions(front_page).get(pagename) or describe(doctree)


def foot(docstitle, title):
    """What a printed page is called at the foot of each sheet."""
    name = docstitle if title == docstitle else f"{docstitle} · {title}"
    return FOOT.format(json.dumps(name, ensure_ascii=False).replace("<", "\\3c "))


def introduce(app, pagename, templatename, context, doctree):
    if app.builder.format != "html":
        return
    home = app.config.html_baseurl
    docstitle = context["docstitle"]
    title = html.unescape(without_tags(context.get("title") or docstitle))
    if doctree is None and title == docstitle:  # a page that Sphinx makes, such as the search
        title = pagename
    text = context.get("description") or description(app, pagename, title, doctree)
    picture, (width, height), alternative = context.get("picture", CARD)
    properties = {
        "description": text,
        "og:type": "website" if pagename == app.config.root_doc else "article",
        "og:site_name": docstitle,
        "og:title": title,
        "og:description": text,
    }
    if home:
        properties |= {
            "og:url": f"{home}{pagename}.html",
            "og:image": home + picture,
            "og:image:width": str(width),
            "og:image:height": str(height),
            "og:image:alt": alternative,
            "twitter:card": "summary_large_image",
        }
    tags = [
        f'<meta {"property" if name.startswith("og:") else "name"}="{name}" '
        f'content="{html.escape(content)}" />'
        for name, content in properties.items()
    ]
    tags += [
        f'<meta name="theme-color" media="(prefers-color-scheme: {scheme})" content="{colour}" />'
        for scheme, colour in COLOURS.items()
    ]
    pathto = context["pathto"]
    addresses = json.dumps([pathto(font, resource=True) for font in FONTS])
    tags.append(ASK_FOR_FONTS.format(addresses=addresses))
    tags.append(f'<link rel="apple-touch-icon" href="{pathto(ICON, resource=True)}" />')
    tags.append(foot(docstitle, title))
    # Sphinx's own template has a viewport already.
    others = re.sub(r'<meta[^>]*name="viewport"[^>]*/>', "", context.get("metatags") or "")
    context["metatags"] = "\n".join(["", *tags, others])


def lost(app):
    """The page that a web space shows for an address that leads nowhere."""
    folder = json.dumps(urlsplit(app.config.html_baseurl).path or "/")
    logo = (Path(app.srcdir) / "_static" / "logo.svg").read_text(encoding="utf-8")
    yield "404", {"folder": folder, "logo": logo}, "404.html"


def name_what_has_no_address(app, exception):
    """Say once that what is shared of this build will have no picture."""
    if exception is None and app.builder.format == "html" and not app.config.html_baseurl:
        LOGGER.info(
            "This build has no address on the web, so a link that is shared shows no picture. "
            "`python -m dev.address` writes one."
        )
