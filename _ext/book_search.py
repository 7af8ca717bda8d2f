"""What a search shows of a page: the sentences that have the words, with the words marked.

Sphinx finds the pages, and would fetch each of them to cut an excerpt out of its HTML: from a file
it may not, and what it cuts out are headings and TeX. So the site carries the sentences of the book
in one script, which a page loads when somebody searches, and `search.js` chooses from them. Beside
them it has where the glossary says that a term is explained, by each name that the term has.
"""

import json
import re
import shutil
from pathlib import Path

from book_sentences import sentences

# An entry of the glossary: the term, what it says, the page that explains it
EXPLAINED = re.compile(r"^\*\*(.+?)\*\*: (.+) \[[^]]+\]\(([^)]+)\.ipynb\)$", re.M)
CALLED = re.compile(r"also called ([^.:;]+)")
OTHER_NAMES = re.compile(r", or |, | or ")
ARTICLE = re.compile(r"^(?:an?|the) ")


def keep(app, doctree):
    if not hasattr(app.env, "book_sentences"):
        app.env.book_sentences = {}
    app.env.book_sentences[app.env.docname] = sentences(doctree)


def forget(app, env, docname):
    getattr(env, "book_sentences", {}).pop(docname, None)


def explained(glossary):
    """{each name of a term: the page that explains it}, of a glossary's text."""
    found = {}
    for term, says, page in EXPLAINED.findall(glossary):
        called = [name for names in CALLED.findall(says) for name in OTHER_NAMES.split(names)]
        for name in (term, *called):
            found[ARTICLE.sub("", name)] = f"chapters/{page}"
    return found


def write(app, exception):
    if exception is None and app.builder.format == "html":
        glossary = Path(app.srcdir) / "chapters" / "glossary.md"
        text = glossary.read_text(encoding="utf-8") if glossary.exists() else ""
        known = {
            "bookSentences": getattr(app.env, "book_sentences", {}),
            "bookTerms": explained(text),
        }
        text = "".join(
            f"window.{name} = {json.dumps(value, ensure_ascii=False, separators=(',', ':'))};\n"
            for name, value in known.items()
        )
        static = Path(app.outdir) / "_static"
        (static / "sentences.js").write_text(text, encoding="utf-8")
        shutil.copy(Path(__file__).with_name("search.js"), static)
