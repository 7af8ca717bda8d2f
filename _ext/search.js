// What a search finds: chapters first, and the package's entries last. Under each page stand the
// sentences of it that have most of the words, the words marked, and the link to a page leads to
// the first of them. It answers while one types: the first pages on any page of the book, all of
// them on the page of the search.

{
  const root = document.documentElement.dataset.content_root;
  const here = DOCUMENTATION_OPTIONS.pagename === "search";
  const FIRST = 6;
  const PAUSE = 120; // milliseconds without a key

  const shelf = (page) => {
    if (/^chapters\/\d\d-/.test(page)) return 2;
    return page === "chapters/api" ? 0 : 1;
  };

  const wordsOf = (text) => text.toLowerCase().match(/[\p{Letter}\p{Number}_]+/gu) ?? [];
  const stem = (word) => new Stemmer().stemWord(word);

  /** For each word of the book the word asked for that it is, if it is one. */
  const hits = (query) => {
    const stems = new Map(wordsOf(query).map((word) => [stem(word), word]));
    return (word) => {
      if (stems.has(stem(word))) return stem(word);
      return [...stems].find(([, whole]) => whole.length > 2 && word.includes(whole))?.[0];
    };
  };

  let hit = hits("");

  /** Up to two sentences, those with most of the words first, in the order of the page. */
  const best = (sentences) => {
    const scored = sentences.map((sentence, place) => {
      const found = new Set(wordsOf(sentence).map(hit).filter(Boolean));
      return { sentence, place, score: found.size - Math.max(0, sentence.length - 300) / 1000 };
    });
    const chosen = scored
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score || a.place - b.place);
    return chosen.slice(0, 2).sort((a, b) => a.place - b.place);
  };

  const marked = (sentence) =>
    sentence.split(/([\p{Letter}\p{Number}_]+)/u).map((piece, i) => {
      if (i % 2 === 0 || !hit(piece.toLowerCase())) return piece;
      const mark = document.createElement("mark");
      mark.textContent = piece;
      return mark;
    });

  const pathOf = (address) => decodeURIComponent(new URL(address, location.href).pathname);
  const page = (link) =>
    pathOf(link.href)
      .replace(/\.html$/, "")
      .slice(pathOf(root).length);

  /** Put under a page that was found what it says of the words. */
  const explain = (item) => {
    const link = item.querySelector("a");
    if (!link || item.querySelector(".search-sentences")) return;
    const chosen = best(window.bookSentences?.[page(link)] ?? []);
    if (!chosen.length) return;
    const text = document.createElement("p");
    text.className = "search-sentences";
    text.append(
      ...chosen.flatMap(({ sentence, place }, i) => {
        const gap = i && place > chosen[i - 1].place + 1 ? " … " : " ";
        return [i ? gap : "", ...marked(sentence)];
      }),
    );
    item.append(text);
    if (link.hash) return;
    // Browsers that know such an address go to the sentence, and mark it until the next click.
    const sentence = encodeURIComponent(chosen[0].sentence).replaceAll("-", "%2D");
    link.href += `#:~:text=${sentence}`;
  };

  const script = (path) =>
    new Promise((resolve, reject) => {
      const element = document.createElement("script");
      element.src = root + path;
      element.onload = resolve;
      element.onerror = reject;
      document.head.append(element);
    });

  let fetched;
  /** Sphinx's search, its index and the sentences: the page of the search has them, others ask. */
  const tools = () => {
    if (here) return null;
    fetched ??= (async () => {
      window.SPHINX_HIGHLIGHT_ENABLED = false;
      await script("_static/language_data.js");
      await unnamed(() => script("_static/searchtools.js"));
      ordered();
      await Promise.all([script("searchindex.js"), script("_static/sentences.js")]);
    })();
    return fetched;
  };
  /** Sphinx's search empties every field with this name when it begins. */
  const unnamed = async (act) => {
    const fields = [...document.querySelectorAll("input[name=q]")];
    for (const field of fields) field.name = "";
    await act();
    for (const field of fields) field.name = "q";
  };
  const ordered = () => {
    Scorer.score = ([name, , , , score]) => 1000 * shelf(name) + score;
  };

  const item = ([name, title, anchor]) => {
    const found = document.createElement("li");
    const link = document.createElement("a");
    link.href = `${root}${name}.html${anchor}`;
    link.textContent = title;
    found.append(link);
    explain(found);
    return found;
  };

  /** What stands under the field: how many were found, and the first of them or all. */
  const answer = (query) => {
    const found = Search._performSearch(...Search._parseQuery(query)).reverse();
    const list = document.createElement("ul");
    list.className = "search";
    hit = hits(query);
    list.append(...found.slice(0, here ? found.length : FIRST).map(item));
    const count = document.createElement("p");
    count.className = "search-summary";
    count.setAttribute("role", "status");
    count.textContent = said(found.length, query);
    return [count, list, ...(list.children.length < found.length ? [toAll(query)] : [])];
  };
  const said = (n, query) => {
    if (n === 0) return `Nothing in the book is found for “${query}”.`;
    return n === 1 ? "One place is found." : `${n} places are found.`;
  };
  const toAll = (query) => {
    const link = document.createElement("a");
    link.className = "search-all";
    link.href = `${root}search.html?q=${encodeURIComponent(query)}`;
    link.textContent = "Show all of them";
    return link;
  };

  const listen = (input, results) => {
    let waiting;
    const typed = async () => {
      const query = input.value.trim();
      if (query.length > 1) await tools();
      if (query !== input.value.trim()) return; // one has typed on
      results.replaceChildren(...(query.length > 1 ? answer(query) : []));
    };
    input.addEventListener("input", () => {
      clearTimeout(waiting);
      waiting = setTimeout(typed, PAUSE);
    });
  };

  if (here) {
    ordered();
    addEventListener("DOMContentLoaded", () => {
      const results = document.getElementById("search-results");
      listen(document.querySelector(".bd-search-container input[name=q]"), results);
      hit = hits(new URLSearchParams(location.search).get("q") ?? "");
      const all = () => results.querySelectorAll("ul.search > li").forEach(explain);
      new MutationObserver(all).observe(results, { childList: true, subtree: true });
      all();
    });
  } else {
    const dialog = document.getElementById("pst-search-dialog");
    const results = document.createElement("section");
    results.id = "search-results";
    results.setAttribute("aria-label", "What is found");
    dialog?.append(results);
    if (dialog) listen(dialog.querySelector("input[name=q]"), results);
  }
}
