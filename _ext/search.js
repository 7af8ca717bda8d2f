// What a search finds: chapters first, and the package's entries last. Under each page stand the
// sentences of it that have most of the words, the words marked, and the link to a page leads to
// the first of them.

(() => {
  const shelf = (page) => {
    if (/^chapters\/\d\d-/.test(page)) return 2;
    return page === "chapters/api" ? 0 : 1;
  };
  Scorer.score = ([page, , , , score]) => 1000 * shelf(page) + score;

  const wordsOf = (text) => text.toLowerCase().match(/[\p{Letter}\p{Number}_]+/gu) ?? [];
  const stem = (word) => new Stemmer().stemWord(word);
  const asked = wordsOf(new URLSearchParams(location.search).get("q") ?? "");
  const stems = new Map(asked.map((word) => [stem(word), word]));
  const hit = (word) => {
    if (stems.has(stem(word))) return stem(word);
    return [...stems].find(([, whole]) => whole.length > 2 && word.includes(whole))?.[0];
  };

  /** Up to two sentences, those with most of the words first, in the order of the page. */
  const best = (sentences) => {
    const scored = sentences.map((sentence, place) => {
      const hits = new Set(wordsOf(sentence).map(hit).filter(Boolean));
      return { sentence, place, score: hits.size - Math.max(0, sentence.length - 300) / 1000 };
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

  const page = (link) => new URL(link.href).pathname.replace(/\.html$/, "");
  const root = new URL(document.documentElement.dataset.content_root, location.href).pathname;
  const explain = (item) => {
    const link = item.querySelector("a");
    if (!link || item.querySelector(".search-sentences")) return;
    const sentences =
      window.bookSentences?.[decodeURIComponent(page(link)).slice(decodeURIComponent(root).length)];
    const chosen = best(sentences ?? []);
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

  addEventListener("DOMContentLoaded", () => {
    const results = document.getElementById("search-results");
    const all = () => results.querySelectorAll("ul.search > li").forEach(explain);
    new MutationObserver(all).observe(results, { childList: true, subtree: true });
    all();
  });
})();
