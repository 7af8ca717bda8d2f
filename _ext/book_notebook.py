"""The button that downloads a page's notebook, for a book that is read from a folder.

Over http its link is the notebook itself. From `file://` browsers do not download a file, they show
its JSON, and no script may read it. So beside each notebook lies the same text in a script,
`NAME.ipynb.js`, which a click loads and saves under the notebook's name.
"""

import json
from pathlib import Path

SAVE_FROM_A_FILE = """
addEventListener("click", (event) => {
  const link = event.target.closest?.('a[href*="_sources/"][href$=".ipynb"]');
  if (!link || location.protocol !== "file:") return;
  event.preventDefault();
  window.saveNotebook = (text) => {
    const saved = document.createElement("a");
    saved.href = URL.createObjectURL(new Blob([text], { type: "application/x-ipynb+json" }));
    saved.download = decodeURIComponent(link.href.split("/").pop());
    saved.click();
    setTimeout(() => URL.revokeObjectURL(saved.href), 60_000);
  };
  const script = document.createElement("script");
  script.src = `${link.href}.js`;
  script.onload = () => script.remove();
  // In a folder without the script, the JSON is better than nothing.
  script.onerror = () => location.assign(link.href);
  document.head.append(script);
});
"""


def write(app, exception):
    if exception is None and app.builder.format == "html":
        for notebook in (Path(app.outdir) / "_sources").rglob("*.ipynb"):
            text = json.dumps(notebook.read_bytes().decode(), ensure_ascii=False)
            notebook.with_name(f"{notebook.name}.js").write_text(
                f"saveNotebook({text});\n", encoding="utf-8"
            )
