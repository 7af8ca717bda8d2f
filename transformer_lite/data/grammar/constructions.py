"""What is made of clauses: statements, questions, and sentences with a clause in them."""

from collections.abc import Iterator

from .clauses import Each, asking, clauses, reporting, telling
from .lexicon import HABEN, HAVE, MODALS, VERBS
from .phrases import SUBJECTS, Phrase

# Each yields German words, English words, and the mark at their end
Sentence = tuple[str, str, str]


def statement(each: Each) -> Iterator[Sentence]:
    """``ich lese heute ein Buch .``, ``ich lese das Buch heute nicht .``"""
    for c in clauses(each, telling, negated=[False, True]):
        yield c.verb_second(), c.english(), "."


def adverb_first(each: Each) -> Iterator[Sentence]:
    """``heute lese ich ein Buch .``: the verb stays second, so the subject follows it."""
    for c in clauses(each, telling, negated=[False, True]):
        if c.time not in ("", "oft", "nie"):
            rest = c._replace(time="")
            yield (
                f"{c.adverb.german} {rest.verb_first()}",
                f"{c.adverb.english} {rest.english()}",
                ".",
            )


def yes_or_no(each: Each) -> Iterator[Sentence]:
    """``liest du heute ein Buch ?``"""
    for c in clauses(each, asking):
        if c.time != "nie":
            yield c.verb_first(), c.english(inverted=True), "?"


def who(each: Each) -> Iterator[Sentence]:
    """``wer liest heute ein Buch ?``: one asks for the subject, and nothing moves."""
    for c in clauses(each, asking, subjects=[[Phrase("wer:S", "who:S")]]):
        yield c.verb_second(), c.english(), "?"


def what(each: Each) -> Iterator[Sentence]:
    """``was liest du heute ?``, ``wen besuchst du ?``: the object asked for comes first."""
    things = "was:o", "what:o", ["trinken", "essen", "lesen", "kaufen", "suchen", "brauchen", ""]
    persons = "wen:o", "who:o", ["besuchen", "anrufen", "suchen"]
    for german, english, verbs in each([things, persons]):
        for c in clauses(each, asking, verbs=verbs, things=lambda *_: [Phrase()]):
            if c.tense != "habit":
                yield f"{german} {c.verb_first()}", f"{english} {c.english(inverted=True)}", "?"


def when(each: Each) -> Iterator[Sentence]:
    """``wann liest du das Buch ?``"""
    for c in clauses(
        each, asking, verbs=list(VERBS)[:-1], tenses=[["future"], ["past"], list(MODALS)]
    ):
        c = c._replace(time="")
        yield f"wann:w {c.verb_first()}", f"when:w {c.english(inverted=True)}", "?"


def why(each: Each) -> Iterator[Sentence]:
    """``warum liest du heute das Buch ?``, ``warum kaufst du heute kein Buch ?``"""
    tenses = [["progressive"], ["habit"], ["past"], ["muss", "will"]]
    for c in clauses(each, asking, negated=[False, True], tenses=tenses):
        if c.time not in ("manchmal", "oft") and not (c.negated and c.tense == "muss"):
            yield f"warum:w {c.verb_first()}", f"why:w {c.english(inverted=True)}", "?"


def subordinate(each: Each) -> Iterator[Sentence]:
    """``ich weiß , dass er heute ein Buch liest .``, ``weißt du , ob er heute ein Buch liest ?``"""
    for kind in each(["dass", "ob"]):
        for german, english, end in each(MAIN_CLAUSES[kind]):
            for c in clauses(each, reporting, negated=[False, True] if kind == "dass" else [False]):
                if kind == "dass" or c.time != "nie":
                    yield f"{german} {c.verb_last()}", f"{english} {c.english()}", end


MAIN_CLAUSES = {
    "dass": [
        ("ich:1 weiß:2 , dass:3", "i:1 know:2 that:3", "."),
        ("ich:1 glaube:2 , dass:3", "i:1 think:2 that:3", "."),
        ("er:1 sagt:2 , dass:3", "he:1 says:2 that:3", "."),
        ("sie:1 sagt:2 , dass:3", "she:1 says:2 that:3", "."),
    ],
    "ob": [
        ("ich:1 weiß:2 nicht:4 , ob:3", "i:1 do:2 not:4 know:2 whether:3", "."),
        ("weißt:2 du:1 , ob:3", "do:2 you:1 know:2 whether:3", "?"),
    ],
}


def because(each: Each) -> Iterator[Sentence]:
    """``er hat heute keine Zeit , weil er ein Buch lesen muss .``"""
    verbs = ["lesen", "kaufen", "suchen", "besuchen", "anrufen", "arbeiten", "gehen"]
    for c in clauses(each, telling, subjects=SUBJECTS[:-1], verbs=verbs, tenses=[["muss"]]):
        if "morgen" not in c.time:
            german, english = (word.replace(":S", ":R") for word in c.subject[:2])
            person = c.subject.person
            time = c.adverb
            reason = c._replace(time="")
            yield (
                f"{german} {HABEN[person]}:x {time.german} keine:y Zeit:z , weil:w "
                f"{reason.verb_last()}",
                f"{english} {HAVE[person]}:x no:y time:z {time.english} because:w "
                f"{reason.english()}",
                ".",
            )


# Each construction, and how often it has its turn
TURNS = {
    statement: 8,
    adverb_first: 3,
    yes_or_no: 5,
    who: 1,
    what: 2,
    when: 1,
    why: 2,
    subordinate: 3,
    because: 1,
}
