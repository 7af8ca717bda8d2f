// What a search finds. A page answers if it has all the words, or else most of them: whole, or as the
// beginning of longer ones, since one may still be typing. First come chapters, and last the lists
// that nobody reads in a row; among its like, the page that the glossary names for a term, one that
// has the words in its title, or in a heading, and one that has them often and together. Under each
// page stand the sentences of it that have most of the words, the words marked, and the link to a
// page leads to the first of them. The first pages are shown on any page of the book while one
// types, all of them on the page of the search.

{
  const root = document.documentElement.dataset.content_root;
  const here = DOCUMENTATION_OPTIONS.pagename === "search";
  const FIRST = 6;
  const PAUSE = 120; // milliseconds without a key

  // What one types for what the book says otherwise
  const SAID_AS = {
    sqrt: "root",
    chatbot: "chat",
    tokenizer: "token",
    tokenization: "token",
    finetuning: "fine-tuning",
    finetune: "fine-tuning",
    pretraining: "pre-training",
    multihead: "multi-head",
    feedforward: "feed-forward",
    layernorm: "LayerNorm",
    normalization: "norm",
    normalisation: "norm",
    backprop: "backpropagation",
  };
  const UNASKED = new Set(
    "a an and are as at be but by can do does for from how i if in into is it me my no not of on or \
our so that the their then there these they this to us was we what when where which who why will \
with you your".split(" "),
  );
  const LISTS = /^chapters\/(api|engine|sources|errata|tried|references|gallery|teach\/.*)$/;

  /** Chapters, then what stands beside them, then the rest, then lists. */
  const shelf = (page) => {
    if (/^chapters\/\d\d-/.test(page)) return 2;
    if (/^chapters\/(your-own|before-you|one-file|what-you)/.test(page)) return 1.5;
    return LISTS.test(page) ? 0 : 1;
  };

  const wordsOf = (text) => text.toLowerCase().match(/[\p{Letter}\p{Number}_]+/gu) ?? [];
  const stems = new Map();
  const stem = (word) => {
    if (!stems.has(word)) stems.set(word, new Stemmer().stemWord(word));
    return stems.get(word);
  };
  const inItsWords = (query) =>
    query.replace(/[\p{Letter}\p{Number}]+/gu, (word) => SAID_AS[word.toLowerCase()] ?? word);

  /** {stem: the word} of what is looked for: not of *why* and *by*, unless there is nothing else. */
  const lookedFor = (query) => {
    const words = wordsOf(inItsWords(query));
    const asked = words.filter((word) => !UNASKED.has(word));
    return new Map((asked.length ? asked : words).map((word) => [stem(word), word]));
  };

  const counts = new Map();
  /** {stem: how often it stands there} of a page. */
  const countsOf = (page) => {
    if (!counts.has(page)) {
      const own = new Map();
      for (const sentence of window.bookSentences?.[page] ?? []) {
        for (const word of wordsOf(sentence)) own.set(stem(word), (own.get(stem(word)) ?? 0) + 1);
      }
      counts.set(page, own);
    }
    return counts.get(page);
  };

  /** For each word of the book the stem asked for that it is, or that it begins with. */
  const hits = (query) => {
    const asked = lookedFor(query);
    return (word) => {
      if (asked.has(stem(word))) return stem(word);
      return [...asked].find(([, whole]) => whole.length > 2 && word.startsWith(whole))?.[0];
    };
  };

  /** How many sentences of a page have these words side by side. */
  const together = (page, wanted) => {
    const phrase = ` ${wanted.join(" ")} `;
    const said = (sentence) => ` ${wordsOf(sentence).map(stem).join(" ")} `.includes(phrase);
    return (window.bookSentences?.[page] ?? []).filter(said).length;
  };

  /** What a page has of the words: which of them, how well its title fits, and how often. */
  const fit = (page, title, asked) => {
    const own = countsOf(page);
    const named = new Set(wordsOf(title).map(stem));
    const begun = (word) => [...own.keys()].some((one) => one.startsWith(word));
    let [has, entitled, often] = [0, 0, 0];
    for (const [wanted, word] of asked) {
      if (named.has(wanted)) entitled += 1;
      if (named.has(wanted) || own.has(wanted)) has += 1;
      else if (word.length > 2 && begun(word)) has += 0.9;
      often += Math.log1p(own.get(wanted) ?? 0);
    }
    const wanted = [...asked.keys()];
    if (asked.size > 1 && has === asked.size) often += 3 * Math.log1p(together(page, wanted));
    return { has: has / asked.size, entitled: entitled / asked.size, often: often / asked.size };
  };

  const asOne = (words) => [...words].map(stem).join(" ");
  /** The page that the glossary names for this term, or nothing. */
  const explains = (asked) => {
    const wanted = asOne(asked.values());
    const names = Object.entries(window.bookTerms ?? {}).map(([name, page]) => [
      asOne(wordsOf(name)),
      page,
    ]);
    const begins = names.filter(([name]) => name.startsWith(`${wanted} `));
    const [begun] = begins.sort(([a], [b]) => a.length - b.length);
    return (names.find(([name]) => name === wanted) ?? begun)?.[1];
  };

  /** The pages that answer, the best first, as [page, title, anchor]. */
  const found = (query) => {
    const asked = lookedFor(query);
    const { docnames, titles, alltitles } = Search._index;
    const heading = new Map(); // of a page, one that has all the words
    for (const [title, places] of Object.entries(alltitles)) {
      const named = new Set(wordsOf(title).map(stem));
      if (![...asked.keys()].every((word) => named.has(word))) continue;
      for (const [place, id] of places) {
        if (id && !heading.has(place)) heading.set(place, [title, `#${id}`]);
      }
    }
    const explaining = explains(asked);
    const pages = docnames.map((page, place) => {
      const { has: said, entitled, often } = fit(page, titles[place], asked);
      const [title, anchor] = heading.get(place) ?? [];
      const has = title ? 1 : said;
      const named = entitled === 1 ? 75 : title ? 70 : 10 * entitled;
      const explained = page === explaining ? 90 : 0;
      const worth = 5000 * has + 100 * shelf(page) + named + explained + often;
      const shown = title && entitled < 1 ? `${titles[place]}: ${title}` : titles[place];
      return { entry: [page, shown, entitled < 1 ? (anchor ?? "") : ""], has, worth };
    });
    const most = Math.max(...pages.map(({ has }) => has));
    const enough = most >= 0.9 ? 0.9 : Math.max(most, 0.5);
    return pages
      .filter(({ has }) => has >= enough)
      .sort((a, b) => b.worth - a.worth)
      .map(({ entry }) => entry);
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
  /** The sentences and, unless this is the page of the search, Sphinx's search with its index. */
  const fetchTools = async () => {
    if (!here) {
      window.SPHINX_HIGHLIGHT_ENABLED = false;
      await script("_static/language_data.js");
      await unnamed(() => script("_static/searchtools.js"));
      await script("searchindex.js");
    }
    await script("_static/sentences.js");
  };
  const tools = () => {
    fetched ??= fetchTools();
    return fetched;
  };
  /** Sphinx's search empties every field with this name when it begins. */
  const unnamed = async (act) => {
    const fields = [...document.querySelectorAll("input[name=q]")];
    for (const field of fields) field.name = "";
    await act();
    for (const field of fields) field.name = "q";
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
    const pages = found(query);
    const list = document.createElement("ul");
    list.className = "search";
    hit = hits(query);
    list.append(...pages.slice(0, here ? pages.length : FIRST).map(item));
    const count = document.createElement("p");
    count.className = "search-summary";
    count.setAttribute("role", "status");
    count.dataset.query = query;
    count.textContent = said(pages.length, query);
    return [count, list, ...(list.children.length < pages.length ? [toAll(query)] : [])];
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

  const serve = (input, results) => {
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
    const results = () => document.getElementById("search-results");
    Search.query = async (query) => {
      await tools();
      Search.stopPulse();
      results().replaceChildren(...answer(query));
    };
    addEventListener("DOMContentLoaded", () => {
      serve(document.querySelector(".bd-search-container input[name=q]"), results());
    });
  } else {
    const dialog = document.getElementById("pst-search-dialog");
    const results = document.createElement("section");
    results.id = "search-results";
    results.setAttribute("aria-label", "What is found");
    dialog?.append(results);
    if (dialog) serve(dialog.querySelector("input[name=q]"), results);
  }
}
