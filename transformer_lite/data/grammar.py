"""A toy German-English grammar: sentence pairs that know which word translates which.

German puts its verbs into two slots, like brackets around the middle of a clause. One word or
phrase before the first slot makes a statement, none makes a question, and a subordinate clause has
all its verbs in the second slot::

    ich   [ möchte ] morgen ein Buch [ lesen       ] .   i would like to read a book tomorrow .
    er    [ macht  ] jetzt die Tür   [ auf         ] .   he is opening the door now .
    heute [ hat    ] sie ein Auto    [ gekauft     ] .   today she bought a car .
          [ kannst ] du heute        [ kommen      ] ?   can you come today ?
    dass  [        ] er das Brot     [ gekauft hat ]     that he bought the bread

A ``Clause`` holds the parts of a sentence, and each construction lays the same parts out twice,
once in each language's order. Words carry links, as in ``Buch:o`` and ``book:o``, and two words are
aligned when they share one: a part may move, split or merge, and its alignment goes along.

Translation is a function: every German sentence has one English sentence. Its rules, in brief:

- Tense. An action ``is reading`` (now, today, this evening), ``reads`` (often, every day) or ``will
  read`` (tomorrow); a state just ``has``. The German perfect is the English past: ``hat gekauft``
  is ``bought``.
- Modals. möchte is ``would like to``, kann ``can``, muss ``has to``, will ``wants to``. Under a
  negation möchte is ``want``: ``ich möchte kein Bier`` is ``i do not want any beer``.
- nicht is ``not``; kein is ``not a`` for what can only be counted, otherwise ``not any``.
- Spelling. German nouns have their capital; everything else is lower-case, the first word of a
  sentence too. English is lower-case throughout. The marks ``.`` ``,`` ``?`` are words of their
  own.

``ADJECTIVES`` and ``OBJECTS`` say what goes with what: one drinks milk and reads a letter. The
combinations in ``HELD_OUT`` make sense too, but ``splits`` keeps every sentence with one of them
out of training. Each of their words is trained in other company, so the compositional split asks
whether a model has learnt words or only phrases.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from itertools import chain, islice
from typing import NamedTuple

from ..checks import check_whole

# words in the longest sentences
MAX_SOURCE = 12
MAX_TARGET = 14


class Pair(NamedTuple):
    """A German sentence, its English translation and their alignment, with single spaces."""

    source: str  # "ich möchte ein Bier ."
    target: str  # "i would like a beer ."
    # (source word, target word), both counted from 0, in order
    alignment: tuple[tuple[int, int], ...]


class Splits(NamedTuple):
    """Three tuples of pairs that have no German sentence in common; see ``splits``."""

    train: tuple[Pair, ...]
    unseen: tuple[Pair, ...]
    compositional: tuple[Pair, ...]


# --- The lexicon ---


def rows(table: str) -> list[list[str]]:
    """The lines of a table, each a list of its cells."""
    return [[cell.strip() for cell in line.split("|")] for line in table.strip("\n").splitlines()]


class Noun(NamedTuple):
    german: str
    gender: int  # 0 to 3: masculine, feminine, neuter, plural
    english: str
    articles: list[str]


# Articles ("-" is none, "Glas" is "ein Glas", "Tasse" is "eine Tasse") | noun, gender (p: plural),
# English
NOUNS = {
    german: Noun(german, "mfnp".index(gender), english, articles.split())
    for articles, nouns in rows("""
der ein - kein       | Bier n beer, Cola f coke
der ein - kein Tasse | Kaffee m coffee, Tee m tea
der - kein Glas      | Wasser n water, Milch f milk, Wein m wine
der - kein           | Brot n bread, Käse m cheese, Suppe f soup
der - kein           | Äpfel p apples, Bücher p books, Blumen p flowers
der ein kein         | Apfel m apple, Ei n egg, Buch n book, Brief m letter
der ein kein         | Zeitung f newspaper, Schlüssel m key
der ein kein         | Auto n car, Haus n house, Koffer m suitcase, Hund m dog, Katze f cat
der                  | Tür f door, Fenster n window, Mann m man, Frau f woman
der                  | Kind n child, Lehrer m teacher
mein                 | Freund m friend, Mutter f mother
mein ein kein        | Bruder m brother, Schwester f sister
""")
    for german, gender, english in (noun.split() for noun in nouns.split(","))
}

# Stem | English | the nouns it goes with
ADJECTIVES = {
    stem: (english, nouns.split())
    for stem, english, nouns in rows("""
kalt  | cold  | Bier Cola Wasser Milch
heiß  | hot   | Kaffee Tee Milch Suppe
gut   | good  | Bier Kaffee Tee Wein Brot Käse Suppe Buch Bücher
alt   | old   | Mann Frau Freund Auto Haus Buch Brief Koffer
neu   | new   | Auto Haus Buch Bücher Koffer Schlüssel Lehrer
klein | small | Kind Hund Katze Auto Haus Koffer Fenster
rot   | red   | Apfel Äpfel Auto Haus Koffer Blumen Tür
""")
}


class Verb(NamedTuple):
    infinitive: str
    present: list[str]  # by person
    prefix: str
    auxiliary: str
    participle: str
    english: list[str]  # base, he, -ing, past


# Infinitive | ich, du, er | the prefix they leave behind | perfect; a state has none | English:
# base, he, -ing, past
VERBS = {
    infinitive: Verb(
        infinitive,
        [*present.split(), infinitive.removeprefix(prefix)],
        prefix,
        perfect.partition(" ")[0],
        perfect.partition(" ")[2],
        english.split(", "),
    )
    for infinitive, present, prefix, perfect, english in rows("""
trinken   | trinke trinkst trinkt       |     | hat getrunken   | drink, drinks, drinking, drank
essen     | esse isst isst              |     | hat gegessen    | eat, eats, eating, ate
lesen     | lese liest liest            |     | hat gelesen     | read, reads, reading, read
kaufen    | kaufe kaufst kauft          |     | hat gekauft     | buy, buys, buying, bought
suchen    | suche suchst sucht          |     | hat gesucht | look for, looks for, looking for, looked for
besuchen  | besuche besuchst besucht    |     | hat besucht     | visit, visits, visiting, visited
anrufen   | rufe rufst ruft             | an  | hat angerufen   | call, calls, calling, called
aufmachen | mache machst macht          | auf | hat aufgemacht  | open, opens, opening, opened
zumachen  | mache machst macht          | zu  | hat zugemacht   | close, closes, closing, closed
arbeiten  | arbeite arbeitest arbeitet  |     | hat gearbeitet  | work, works, working, worked
kommen    | komme kommst kommt          |     | ist gekommen    | come, comes, coming, came
gehen     | gehe gehst geht             |     | ist gegangen    | go, goes, going, went
schwimmen | schwimme schwimmst schwimmt |     | ist geschwommen | swim, swims, swimming, swam
haben     | habe hast hat               |     |                 | have, has
brauchen  | brauche brauchst braucht    |     |                 | need, needs
kennen    | kenne kennst kennt          |     |                 | know, knows
          |                             |     |                 |
""")  # noqa: E501 (a table)
}

# Verb (none: a bare möchte) | articles of its objects | objects
OBJECTS = [
    (verb, articles.split(), objects.split())
    for verb, articles, objects in rows("""
trinken   | der ein - kein Glas Tasse | Bier Cola Kaffee Tee Wasser Milch Wein
essen     | der ein - kein            | Apfel Äpfel Ei Brot Käse Suppe
lesen     | der ein - kein            | Buch Bücher Brief Zeitung
kaufen    | der ein - kein            | Bier Cola Kaffee Tee Wasser Milch Wein Brot Käse Apfel Äpfel
kaufen    | der ein - kein            | Buch Bücher Zeitung Auto Haus Koffer Blumen
kaufen    | ein kein                  | Hund Katze
suchen    | der ein                   | Koffer Buch Auto Haus
suchen    | der                       | Schlüssel Brief Zeitung Hund Katze
suchen    | der mein                  | Mann Frau Kind Lehrer Freund
besuchen  | der mein                  | Mann Frau Lehrer Freund Mutter Bruder Schwester
anrufen   | der mein                  | Mann Frau Lehrer Freund Mutter Bruder Schwester
aufmachen | der                       | Tür Fenster Koffer Brief
zumachen  | der                       | Tür Fenster Koffer
haben     | ein - kein                | Hund Katze Auto Haus Koffer Schlüssel Bruder Schwester
haben     | - kein                    | Brot Milch Wein Äpfel Blumen
brauchen  | der ein kein              | Auto Koffer Schlüssel Buch
brauchen  | - kein                    | Brot Milch Wasser
kennen    | der mein                  | Mann Frau Kind Lehrer Freund Mutter Bruder Schwester
          | ein - kein Glas Tasse     | Bier Cola Kaffee Tee Wasser Milch Wein
          | ein - kein                | Apfel Ei Brot Käse Suppe
""")
]

# By gender, in the order m f n p: articles, and endings of the adjective behind each of them
NOMINATIVE, ACCUSATIVE = range(2)
DER = "der die das die".split(), "den die das die".split()
EIN = "ein eine ein eine".split(), "einen eine ein eine".split()
ADJECTIVE_ENDINGS = {
    "der": ("e e e en".split(), "en e e en".split()),
    "ein": ("er e es en".split(), "en e es en".split()),
    "-": ("er e es e".split(), "en e es e".split()),
}

# By person: ich, du, er (also sie, der Mann, wer), wir
ICH, DU, ER, WIR = range(4)
HABEN = "habe hast hat haben".split()
SEIN = "bin bist ist sind".split()
MODALS = {
    "möchte": "möchte möchtest möchte möchten".split(),
    "kann": "kann kannst kann können".split(),
    "muss": "muss musst muss müssen".split(),
    "will": "will willst will wollen".split(),
}
BE = "am are is are".split()
DO = "do do does do".split()
HAVE = "have have has have".split()
WANT = "want want wants want".split()

# The adverbs of time, and the tenses that each of them goes with
ADVERBS = {
    "": ("", ["progressive", "past", "state", *MODALS]),
    "jetzt": ("now", ["progressive", *MODALS]),
    "heute": ("today", ["progressive", "past", *MODALS]),
    "heute Abend": ("this evening", ["progressive", *MODALS]),
    "morgen": ("tomorrow", ["future", *MODALS]),
    "morgen Abend": ("tomorrow evening", ["future", *MODALS]),
    "gestern": ("yesterday", ["past"]),
    "gestern Abend": ("yesterday evening", ["past"]),
    "jeden Tag": ("every day", ["habit"]),
    "manchmal": ("sometimes", ["habit"]),
    "oft": ("often", ["habit"]),
    "nie": ("never", ["habit"]),
}

# What it would be odd to say: tenses and adverbs that do not go with a verb (none: a bare möchte),
# or no negation
ODD = {
    "": ["morgen", "Abend"],
    "trinken": ["muss", "kann"],
    "essen": ["muss", "kann"],
    "suchen": ["habit", "future", "möchte", "kann", "nicht"],
    "aufmachen": ["Abend"],
    "zumachen": ["Abend"],
    "kommen": ["manchmal"],
    "schwimmen": ["muss"],
}
NOT_FOR_A_CHILD = {
    "kaufen",
    "anrufen",
    "arbeiten",
    "Bier",
    "Kaffee",
    "Tee",
    "Wein",
    "Zeitung",
    "Auto",
    "Haus",
}
# "die Zeitung" is read every day, "das Buch" is not
DAILY = {"Mann", "Frau", "Lehrer", "Zeitung", "Tür", "Fenster"}

# --- Phrases ---


class Phrase(NamedTuple):
    """The same part of a sentence in both languages; words carry links, as in ``Buch:o``."""

    german: str = ""
    english: str = ""
    noun: str = ""
    article: str = ""
    person: int = ER


def linked(words: str, *links: str) -> str:
    """Each word gets its links, and the last of them serve all that follow: ``look:v for:v``."""
    return " ".join(
        f"{word}:{links[min(i, len(links) - 1)]}" for i, word in enumerate(words.split())
    )


def noun_phrase(article: str, adjective: str, noun: Noun, case: int, links: str) -> Phrase:
    """An article, an adjective (a stem, or "") and a noun; ``links`` has a letter for each."""
    a, b, c = links
    german = f"{noun.german}:{c}"
    english = f"{noun.english}:{c}"
    if adjective:
        pattern = "-"
        if article == "der":
            pattern = "der"
        elif article.endswith("ein"):
            pattern = "ein"
        german = f"{adjective}{ADJECTIVE_ENDINGS[pattern][case][noun.gender]}:{b} {german}"
        english = f"{ADJECTIVES[adjective][0]}:{b} {english}"
    an = "an" if english[0] in "aeiou" else "a"
    no = "any:n" if "-" in noun.articles else f"{an}:n"
    ein = EIN[case][noun.gender]
    german_article, english_article = {
        "-": ("", ""),
        "der": (f"{DER[case][noun.gender]}:{a}", f"the:{a}"),
        "ein": (f"{ein}:{a}", f"{an}:{a}"),
        "mein": (f"m{ein}:{a}", f"my:{a}"),
        "kein": (f"k{ein}:n", no),
        "Glas": (f"ein:{a} Glas:g", f"a:{a} glass:g of:g"),
        "Tasse": (f"eine:{a} Tasse:g", f"a:{a} cup:g of:g"),
    }[article]
    return Phrase(
        f"{german_article} {german}", f"{english_article} {english}", noun.german, article
    )


@cache
def adjectives_of(noun: str) -> list[str]:
    return [stem for stem, (_, nouns) in ADJECTIVES.items() if noun in nouns]


def people(article: str, names: str, plain: bool = True) -> list[Phrase]:
    """Subjects: with each adjective that suits them, and if ``plain`` also without one."""
    return [
        noun_phrase(article, adjective, NOUNS[name], NOMINATIVE, "DAS")
        for name in names.split()
        for adjective in (["", *adjectives_of(name)] if plain else adjectives_of(name))
    ]


# In groups that are drawn equally often
SUBJECTS = [
    [Phrase("ich:S", "i:S", person=ICH)],
    [Phrase("du:S", "you:S", person=DU)],
    [Phrase("er:S", "he:S"), Phrase("sie:S", "she:S")],
    [Phrase("wir:S", "we:S", person=WIR)],
    [
        *people("der", "Mann Frau Kind Lehrer"),
        *people("mein", "Mutter Bruder Schwester"),
        *people("ein", "Mann Frau Kind Freund", plain=False),
    ],
]
PLACES = [
    Phrase("nach:p Hause:p", "home:p", article="place"),
    Phrase("in:p den:q Park:r", "to:p the:q park:r", article="place"),
    Phrase("in:p die:q Bäckerei:r", "to:p the:q bakery:r", article="place"),
    Phrase("ins:pq Kino:r", "to:p the:q cinema:r", article="place"),
]

# --- Clauses ---


class Clause(NamedTuple):
    """The parts of a clause, ready to be laid out; ``negated`` by its object's kein, or nicht."""

    subject: Phrase
    verb: Verb
    tense: str
    time: str
    object: Phrase
    negated: bool = False

    @property
    def adverb(self) -> Phrase:
        return Phrase(linked(self.time, "t", "u"), linked(ADVERBS[self.time][0], "t", "u"))

    @property
    def finite(self) -> str:
        """The first half of the bracket: the verb that agrees with the subject."""
        if self.tense == "past":
            return f"{(SEIN if self.verb.auxiliary == 'ist' else HABEN)[self.subject.person]}:h"
        if self.tense in MODALS:
            return f"{MODALS[self.tense][self.subject.person]}:m"
        return f"{self.verb.present[self.subject.person]}:v"

    @property
    def ending(self) -> str:
        """The second half of the bracket: participle, infinitive, separated prefix or nothing."""
        if self.tense == "past":
            return linked(self.verb.participle, "v")
        return linked(self.verb.infinitive if self.tense in MODALS else self.verb.prefix, "v")

    @property
    def middle(self) -> str:
        """Time, then object; but nicht stands behind an object, and before a place."""
        time = self.adverb.german
        thing = self.object.german
        if not self.negated or self.object.article == "kein":
            return f"{time} {thing}"
        if self.object.article == "place":
            return f"{time} nicht:n {thing}"
        return f"{thing} {time} nicht:n"

    def verb_second(self) -> str:
        return f"{self.subject.german} {self.finite} {self.middle} {self.ending}"

    def verb_first(self) -> str:
        return f"{self.finite} {self.subject.german} {self.middle} {self.ending}"

    def verb_last(self) -> str:
        """The bracket closes at the end; a prefix is one word with its verb again: ``aufmacht``."""
        separate = self.tense == "past" or self.tense in MODALS
        last = f"{self.ending} {self.finite}" if separate else f"{self.verb.prefix}{self.finite}"
        return f"{self.subject.german} {self.middle} {last}"

    def english(self, inverted: bool = False) -> str:
        """Subject, verb, object, time; in a question, ``inverted``, the auxiliary comes first."""
        auxiliary, verb = self.english_verb(inverted)
        subject = self.subject.english
        thing = self.object.english
        time = self.adverb.english
        start = f"{auxiliary} {subject}" if inverted else f"{subject} {auxiliary}"
        if self.negated and self.tense != "kann":
            start = f"{start} not:n"
        if self.time in ("manchmal", "oft", "nie"):
            return f"{start} {time} {verb} {thing}"
        return f"{start} {verb} {thing} {time}"

    def english_verb(self, inverted: bool) -> tuple[str, str]:
        """Auxiliary and main verb; do is borrowed for a negation or an inversion."""
        person = self.subject.person
        english = self.verb.english
        do = f"{DO[person]}:v"
        bare = linked(english[0], "v")
        infinitive = f"to:v {bare}" if bare else ""
        match self.tense:
            case "progressive":
                return f"{BE[person]}:v", linked(english[2], "v")
            case "future":
                return "will:v", bare
            case "kann":
                can = "cannot:mn" if self.negated else "can:m"
                return can, bare
            case "möchte" if not self.negated:
                return "would:m", f"like:m {infinitive}"
            case "past":
                do = "did:h"
                inflected = linked(english[3], "hv")
            case "state" | "habit":
                inflected = linked(english[person == ER], "v")
            case _:
                forms = HAVE if self.tense == "muss" else WANT
                do = f"{DO[person]}:m"
                bare = f"{forms[ICH]}:m {infinitive}"
                inflected = f"{forms[person]}:m {infinitive}"
        return (do, bare) if self.negated or inverted else ("", inflected)


# --- What goes together ---

# A choice is a loop, ``for x in each(options)``: over all the options, to list the language, or
# over one of them, to draw a sentence. A group is drawn before its members, so that no large group
# drowns the others.
Each = Callable[[Sequence], Sequence]
TENSES = [["progressive"], ["habit"], ["future"], ["past"], ["state"], list(MODALS)]


@cache
def has_tense(verb: str, tense: str) -> bool:
    if not verb:
        return tense == "möchte"
    if not VERBS[verb].participle:
        return tense == "state"
    return tense != "state" and tense not in ODD.get(verb, [])


@cache
def times_of(verb: str, tense: str, negated: bool) -> list[str]:
    odd = {*ODD.get(verb, []), *(["jetzt", "Abend"] if negated else [])}
    return [
        time
        for time, (_, tenses) in ADVERBS.items()
        if tense in tenses and odd.isdisjoint(time.split())
    ]


@cache
def articles_of(verb: str, tense: str, negated: bool) -> list[tuple[Noun, list[str]]]:
    """The nouns that the verb may act on, with articles; a negation wants kein or a known one."""

    def suits(noun: str, article: str) -> bool:
        if negated:
            return article in ("kein", "der", "mein")
        return article != "kein" and (
            tense != "habit" or noun in DAILY or article not in ("der", "ein")
        )

    allowed = [
        (
            NOUNS[noun],
            [
                article
                for article in NOUNS[noun].articles
                if article in articles and suits(noun, article)
            ],
        )
        for name, articles, nouns in OBJECTS
        if name == verb
        for noun in nouns
    ]
    return [(noun, articles) for noun, articles in allowed if articles]


def objects(each: Each, verb: str, tense: str, negated: bool) -> Iterator[Phrase]:
    if verb in ("arbeiten", "kommen", "schwimmen", "gehen"):
        yield from each(PLACES if verb == "gehen" else [Phrase()])
    for noun, articles in each(articles_of(verb, tense, negated)):
        for article in each(articles):
            plain = article == "kein" or article == "der" and tense == "habit"
            for adjectives in each([[""], [] if plain else adjectives_of(noun.german)]):
                for adjective in each(adjectives):
                    yield noun_phrase(article, adjective, noun, ACCUSATIVE, "dao")


def clauses(
    each: Each,
    suits,
    *,
    subjects=SUBJECTS,
    verbs=tuple(VERBS),
    tenses=TENSES,
    negated=(False,),
    things=objects,
) -> Iterator[Clause]:
    """Clauses that make sense; ``suits(tense, subject)`` says which subjects there can be."""
    return (
        Clause(subject, VERBS[verb], tense, time, thing, negation)
        for verb in each(verbs)
        for tense in each_suiting(each, tenses, partial(has_tense, verb))
        for subject in each_suiting(each, subjects, partial(suits, tense))
        for negation in each(negated if can_be_negated(subject, verb, tense) else [False])
        for time in each(times_of(verb, tense, negation))
        for thing in things(each, verb, tense, negation)
        if subject.noun != "Kind" or not NOT_FOR_A_CHILD & {verb, thing.noun}
        if not thing.noun or thing.noun != subject.noun
        if tense != "progressive" or time or thing.article not in ("-", "kein")
    )


def each_suiting(each: Each, groups, suits) -> Iterator:
    """A choice of a group and then of a member, out of those that suit."""
    kept = [[member for member in group if suits(member)] for group in groups]
    return (member for group in each([group for group in kept if group]) for member in each(group))


def can_be_negated(subject: Phrase, verb: str, tense: str) -> bool:
    return subject.article != "ein" and tense != "habit" and "nicht" not in ODD.get(verb, [])


def telling(tense: str, subject: Phrase) -> bool:
    """You need not be told what you do, only what you can and must. And nobody knows the habits of
    just any old man.
    """
    return (subject.person != DU or tense in ("kann", "muss")) and (
        subject.article != "ein" or tense != "habit"
    )


def asking(tense: str, subject: Phrase) -> bool:
    """I ask what I can and must, not what I do; and one asks about people that both know."""
    return subject.article != "ein" and (subject.person in (DU, ER) or tense in ("kann", "muss"))


def reporting(tense: str, subject: Phrase) -> bool:
    """What is known, said or asked about others, and what one can and must."""
    return subject.article != "ein" and (subject.person == ER or tense in ("kann", "muss"))


# --- Constructions: each yields German words, English words, and the mark at their end ---

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

# --- The language ---


def aligned(german: str, english: str, end: str) -> Pair:
    """Take the links off the words, and align the words that share one."""
    source, target = (
        [word.partition(":") for word in f"{words} {end}:{end}".split()]
        for words in (german, english)
    )
    return Pair(
        " ".join(word for word, _, _ in source),
        " ".join(word for word, _, _ in target),
        tuple(
            (i, j)
            for i, (_, _, links) in enumerate(source)
            for j, (_, _, others) in enumerate(target)
            if not {*links}.isdisjoint(others)
        ),
    )


def sentences(construction, each: Each) -> Iterator[Pair]:
    for german, english, end in construction(each):
        if len(german.split()) < MAX_SOURCE and len(english.split()) < MAX_TARGET:
            yield aligned(german, english, end)


def every_pair() -> Iterator[Pair]:
    """The whole language, each German sentence once; listing it takes about a minute."""
    seen = set()
    for construction in TURNS:
        for pair in sentences(construction, lambda options: options):
            if pair.source not in seen:
                seen.add(pair.source)
                yield pair


def in_random_order(seed: int) -> Iterator[Pair]:
    """The whole language, each German sentence once: drawn at first, then listed and shuffled."""
    rng = random.Random(seed)
    seen: set[str] = set()
    repeats = 0
    while repeats < 1000:
        [construction] = rng.choices(list(TURNS), list(TURNS.values()))
        pair = None
        while pair is None:  # a choice may turn out not to make sense
            pair = next(
                sentences(construction, lambda options: [rng.choice(options)] if options else []),
                None,
            )
        repeats += 1
        if pair.source not in seen:
            repeats = 0
            seen.add(pair.source)
            yield pair
    rest = [pair for pair in every_pair() if pair.source not in seen]
    rng.shuffle(rest)
    yield from rest


def generate(n: int, seed: int = 0) -> list[Pair]:
    """``n`` different pairs, drawn at random; the same ones for the same seed.

    Raises ValueError if the grammar holds fewer, and for an ``n`` below 0.
    """
    check_whole("n", n, least=0)
    pairs = list(islice(in_random_order(seed), n))
    if len(pairs) < n:
        raise ValueError(f"the grammar holds {len(pairs)} different sentences; got n={n}")
    return pairs


# A verb or adjective, and the noun it never meets in training
HELD_OUT = [
    ("trinken", "Wein"), ("essen", "Äpfel"), ("kaufen", "Zeitung"), ("suchen", "Katze"),
    ("aufmachen", "Koffer"), ("gut", "Kaffee"), ("neu", "Haus"), ("rot", "Koffer"),
]  # fmt: skip


def is_held_out(pair: Pair) -> bool:
    """Whether a combination of ``HELD_OUT`` occurs, told by the English, with its fewer forms."""
    words = pair.target.split()
    for word, noun in HELD_OUT:
        thing = NOUNS[noun].english
        if word in ADJECTIVES and f"{ADJECTIVES[word][0]} {thing}" in pair.target:
            return True
        if (
            word in VERBS
            and thing in words
            and any(form.split()[0] in words for form in VERBS[word].english)
        ):
            return True
    return False


@cache
def splits(
    n_train: int = 6000, n_unseen: int = 1000, n_compositional: int = 1000, seed: int = 0
) -> Splits:
    """Pairs to train on, and two tuples to test on; no German sentence occurs twice.

    ``unseen`` is more of the same. Every sentence of ``compositional`` has a combination of
    ``HELD_OUT``, which the other two never have. ``train`` has every word of both; those of
    ``compositional`` it has at least once in 300 pairs, so that it is the combination that is new
    and not the word.

    Raises ValueError if the grammar does not hold that many sentences, and for an ``n_train`` below
    1 or another number below 0.
    """
    check_whole("n_train", n_train, least=1)
    check_whole("n_unseen", n_unseen, least=0)
    check_whole("n_compositional", n_compositional, least=0)
    pairs = in_random_order(seed)
    train: list[Pair] = []
    held_out: list[Pair] = []
    for pair in pairs:
        side = held_out if is_held_out(pair) else train
        side.append(pair)
        if len(train) == n_train:
            break
    counts = [Counter(word for pair in train for word in pair[side].split()) for side in (0, 1)]
    unseen: list[Pair] = []
    compositional: list[Pair] = []
    for pair in chain(held_out, pairs):
        if len(unseen) == n_unseen and len(compositional) == n_compositional:
            break
        rarest = min(counts[side][word] for side in (0, 1) for word in pair[side].split())
        if is_held_out(pair):
            if len(compositional) < n_compositional and rarest >= max(1, n_train // 300):
                compositional.append(pair)
        elif len(unseen) < n_unseen and rarest >= 1:
            unseen.append(pair)
    if (len(train), len(unseen), len(compositional)) != (n_train, n_unseen, n_compositional):
        raise ValueError(
            f"the grammar has no {n_train} pairs to train on and, in the same words, {n_unseen} "
            f"unseen and {n_compositional} compositional ones: at most {len(train)}, {len(unseen)} "
            f"and {len(compositional)}"
        )
    return Splits(tuple(train), tuple(unseen), tuple(compositional))
