"""What a reader types into the search, and the page that ought to come first."""

import pytest

# The beginning of the name of the page; where several will do, all of them
FIRST = {
    "RoPE": "06 12 13",
    "rotary": "06 12",
    "KV cache": "10 11 12",
    "MoE": "13 glossary",
    "mixture of experts": "13",
    "experts": "13",
    "ChatGPT": "11 glossary",
    "LLM": "0 1 glossary",
    "RLHF": "14 glossary",
    "fine-tuning": "11",
    "pre-training": "08 11",
    "hallucination": "11 glossary",
    "quantization": "10 12 glossary",
    "prompt": "11 glossary",
    "context window": "1 glossary",
    "inference": "08 1 glossary",
    "sampling": "11 glossary",
    "own sentences": "your",
    "own data": "your",
    "why divide by sqrt": "03",
    "multi-head": "04",
    "multi-head attention": "04",
    "query key value": "02",
    "dot product": "0",
    "softmax": "0",
    "mask": "05",
    "causal mask": "05",
    "padding": "05",
    "leak": "05",
    "positions": "06",
    "positional encoding": "06",
    "residual": "07",
    "residual stream": "07",
    "LayerNorm": "07",
    "feed-forward": "07",
    "MLP": "07 glossary",
    "dropout": "07",
    "backpropagation": "08",
    "Adam": "08",
    "learning rate": "before",
    "warm-up": "08",
    "label smoothing": "08",
    "teacher forcing": "08",
    "beam search": "08",
    "BLEU": "08",
    "perplexity": "08",
    "ablation": "09",
    "attention is not explanation": "09",
    "alignment": "09",
    "GRU": "10",
    "convolution": "10",
    "recurrent": "00 10",
    "temperature": "11",
    "top-p": "11",
    "Llama": "12 13",
    "SwiGLU": "12",
    "RMSNorm": "12",
    "pre-norm": "07 12",
    "grouped-query": "10 12",
    "GQA": "10 12 glossary",
    "delta rule": "13",
    "MLA": "13 glossary",
    "byte pair": "01 your",
    "embedding": "01",
    "one-hot": "01",
    "lookup": "01",
    "view transpose": "04",
    "contiguous": "04",
    "one file": "one-file",
    "what you have seen": "what-you-have-seen",
}


def test_the_page_that_answers_comes_first(visit):
    page = visit("search.html").page
    field = page.locator(".bd-search-container input[name=q]")
    found = {}
    for query in FIRST:
        field.fill(query)
        page.wait_for_function(
            "query => document.querySelector('.search-summary')?.dataset.query === query", arg=query
        )
        links = page.locator("#search-results li > a")
        addresses = links.evaluate_all("all => all.map(link => new URL(link.href).pathname)")
        found[query] = [address.rsplit("/", 1)[1] for address in addresses[:1]]
    wrong = {
        query: pages
        for query, pages in found.items()
        if not any(page.startswith(tuple(FIRST[query].split())) for page in pages)
    }
    assert not wrong


@pytest.mark.parametrize("query, is_not_marked", [("RoPE", "property"), ("mask", "unmasked")])
def test_a_word_is_marked_whole_or_as_a_beginning(visit, query, is_not_marked):
    page = visit(f"search.html?q={query}").page
    marks = page.locator("#search-results mark")
    marks.first.wait_for()
    words = {word.lower() for word in marks.all_text_contents()}
    assert query.lower() in words and is_not_marked not in words
