"""What chapter 2 concludes: pushes on scores, one matrix or two, and rows that do not add up."""

import torch

import transformer_lite as tl
from dev.tried import attempt
from dev.tried.translator import as_stored, exactly_right, trained
from transformer_lite.data.corpus import german_english
from transformer_lite.data.grammar import splits


@attempt(draws=100)
def pushes(draws=1000):
    """Is the push on a score always its share times how much better its value is?"""
    torch.manual_seed(0)
    furthest = 0.0
    for _ in range(draws):
        words, numbers = torch.randint(3, 10, ()).item(), torch.randint(2, 17, ()).item()
        values = torch.randn(words, numbers, dtype=torch.float64)
        wanted = torch.randn(numbers, dtype=torch.float64)
        scores = (3 * torch.randn(words, dtype=torch.float64)).requires_grad_()
        shares = scores.softmax(0)
        mixture = shares @ values
        (mixture - wanted).square().sum().backward()
        by_rule = shares * ((values - mixture) @ (2 * (wanted - mixture)))
        furthest = max(furthest, (by_rule + scores.grad).abs().max().item())
    return [{"draws": draws, "furthest from the rule": f"{furthest:.0e}"}]


def one_for_both(model):
    """Let every self-attention make queries and keys with one matrix."""
    for part in (*model.encoder, *model.decoder):
        part.self_attention.w_k = part.self_attention.w_q


@attempt(seeds=range(1), pairs=64, sentences=german_english()[:2])
def one_matrix(seeds=range(3), pairs=None, sentences=None):
    """The translator after two passes, with two matrices for a score, as stored, and with one."""
    return [
        {
            "seed": seed,
            "two": as_stored(seed),
            "one": exactly_right(trained(seed, one_for_both, pairs=pairs), sentences),
        }
        for seed in seeds
    ]


@attempt(draws=1000)
def rounded_rows(draws=100_000):
    """What rows of true shares over three keys add up to when each is printed with few digits."""
    torch.manual_seed(0)
    shares = torch.randn(draws, 3, dtype=torch.float64).softmax(-1)
    rows = []
    for digits in (1, 2, 3):
        sums = shares.round(decimals=digits).sum(-1)
        off = (sums - 1).abs() > 1e-9
        rows.append(
            {
                "digits": digits,
                "do not add up to 1": round(off.double().mean().item(), 2),
                "most": round(sums.max().item(), digits),
            }
        )
    return rows


@attempt(sentences=2)
def one_word_each(sentences=300):
    """How much of a question the best word gets, over new sentences, in the head of the chapter."""
    translator = tl.load_translator()
    largest, last = [], []
    for pair in splits().unseen[:sentences]:
        source = torch.tensor([translator.source_vocabulary.encode(pair.source.split())])
        words = ["<bos>", *pair.target.split()]
        with torch.no_grad():
            maps = translator.model(
                source,
                torch.tensor([translator.target_vocabulary.encode(words)]),
                return_attention=True,
            )[1].cross
        best = maps[1][0, 1].max(-1).values
        largest.append(best[:-1])
        last.append(best[-1:])
    return [
        {
            "rows": name,
            "best word, on average": round(torch.cat(of).mean().item(), 2),
            "above one half": round((torch.cat(of) > 0.5).float().mean().item(), 2),
        }
        for name, of in (("all but the last", largest), ("the last", last))
    ]
