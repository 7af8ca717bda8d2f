"""What a search shows of a page: the sentences that have the words, with the words marked.

Sphinx finds the pages, and would fetch each of them to cut an excerpt out of its HTML: from a file
it may not, and what it cuts out are headings and TeX. So the site carries the sentences of the book
in one script, which a page loads when somebody searches, and `search.js` chooses from them.
"""

import json
import shutil
from pathlib import Path

from book_sentences import sentences


def keep(app, doctree):
    if not hasattr(app.env, "book_sentences"):
        app.env.book_sentences = {}
    app.env.book_sentences[app.env.docname] = sentences(doctree)


def forget(app, env, docname):
    getattr(env, "book_sentences", {}).pop(docname, None)


def write(app, exception):
    if exception is None and app.builder.format == "html":
        text = json.dumps(
            getattr(app.env, "book_sentences", {}), ensure_ascii=False, separators=(",", ":")
        )
        static = Path(app.outdir) / "_static"
        (static / "sentences.js").write_text(f"window.bookSentences = {text};\n", encoding="utf-8")
        shutil.copy(Path(__file__).with_name("search.js"), static)
