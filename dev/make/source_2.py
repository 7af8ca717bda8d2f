"""Does source 2's program learn its two sentences?

    python -m dev.make.source_2 PROGRAM

PROGRAM is a file that you fill with the listings of DaNing's article "Pytorch实现: Transformer", as
they are printed and in their order, up to the training loop: they are not ours to carry along. This
script sets the seed before them and, behind them, writes both sentences word by word, which the
article does not. The errata quote the result, which is kept beside this file in source_2.json. The
evenness of a layer is the mean entropy of its rows over the four real words, as a share of the
largest there can be. A head of the lowest layer agrees on a sentence if all its four words look
most at the same word; heads_that_agree counts such heads for each sentence.
"""

import io
import json
import math
import sys
from contextlib import redirect_stdout
from pathlib import Path

import torch

KEPT = Path(__file__).with_suffix(".json")
SEEDS = range(5)
SETTINGS = "d_model", "d_ff", "n_layers", "n_heads", "p_drop", "lr", "epochs"


def write(model, source, begin, length):
    """The ids that it writes when it reads its own words: a list of ``length`` of them."""
    written = [begin]
    for _ in range(length):
        logits, *_ = model(source[None], torch.tensor([written]))  # (written so far, words)
        written.append(logits[-1].argmax().item())
    return written[1:]


def measure(listings, seed: int) -> dict:
    """Train the article's model from this seed, and say what it writes and where it looks."""
    torch.manual_seed(seed)
    article = {}
    printed = io.StringIO()
    with redirect_stdout(printed):
        exec(listings, article)
    model = article["model"].to("cpu").eval()
    words = article["idx2word"]
    answers = article["decoder_outputs"].tolist()
    with torch.no_grad():
        _, maps, _, _ = model(article["encoder_inputs"], article["decoder_inputs"])
        sources = article["encoder_inputs"]
        written = [
            write(model, source, article["target_vocab"]["S"], len(answers[0]))
            for source in sources
        ]
    choices = maps[0][:, :, :4].argmax(-1)  # (sentences, heads, words)
    agree = (choices == choices[..., :1]).all(-1)
    return {
        "seed": seed,
        "settings": {name: article[name] for name in SETTINGS},
        "loss": float(printed.getvalue().split()[-1]),
        "sentences_written": sum(
            ids == answer for ids, answer in zip(written, answers, strict=True)
        ),
        "written": [" ".join(words[i] for i in ids) for ids in written],
        "evenness": [
            round(torch.special.entr(m).sum(-1).mean().item() / math.log(4), 3) for m in maps
        ],
        "heads_that_agree": agree.sum(-1).tolist(),
    }


def main() -> None:
    if len(sys.argv) != 2 or not Path(sys.argv[1]).is_file():
        sys.exit(
            "expected one file, with the listings of source 2; got "
            f"{' '.join(sys.argv[1:]) or 'none'}\n{__doc__}"
        )
    torch.set_num_threads(1)
    listings = compile(Path(sys.argv[1]).read_text(encoding="utf-8"), sys.argv[1], "exec")
    rows = []
    for seed in SEEDS:
        rows.append(measure(listings, seed))
        print(rows[-1], flush=True)
    KEPT.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
