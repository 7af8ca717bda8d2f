"""A toy German-English grammar: sentence pairs that know which word translates which.

German builds a clause around a bracket of two verb slots. What stands before the first slot makes the kind of clause:

    ich   [ möchte ]  morgen ein Buch   [ lesen   ] .    i would like to read a book tomorrow .   verb second
    er    [ macht  ]  jetzt die Tür     [ auf     ] .    he is opening the door now .
    heute [ hat    ]  sie ein Auto      [ gekauft ] .    today she bought a car .
          [ kannst ]  du heute          [ kommen  ] ?    can you come today ?                     verb first
    dass              er das Brot       [ kauft   ]      that he is buying the bread              verb last

A ``Clause`` holds the parts of a sentence, and each construction lays the same parts out twice, once in each
language's order. Words carry links, as in ``Buch:o`` and ``book:o``, and two words are aligned when they share one:
a part may move, split or merge, and its alignment goes along.

Translation is a function: every German sentence has one English sentence. Its rules, in brief:

- Tense. An action ``is reading`` (now, today, this evening), ``reads`` (often, every day) or ``will read``
  (tomorrow); a state just ``has``. The German perfect is the English past: ``hat gekauft`` is ``bought``.
- Modals. möchte is ``would like to``, kann ``can``, muss ``has to``, will ``wants to``. Under a negation möchte is
  ``want``: ``ich möchte kein Bier`` is ``i do not want any beer``.
- nicht is ``not``; kein is ``not a`` for what can only be counted, otherwise ``not any``.
- Spelling. German nouns have their capital; everything else is lower-case, the first word of a sentence too. English
  is lower-case throughout. The marks ``.`` ``,`` ``?`` are words of their own.

``ADJECTIVES`` and ``OBJECTS`` say what goes with what: one drinks milk and reads a letter. The combinations in
``HELD_OUT`` make sense too, but ``splits`` keeps every sentence with one of them out of training. Each of their words
is trained in other company, so the compositional split asks whether a model has learnt words or only phrases.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import islice
from typing import NamedTuple

MAX_SOURCE, MAX_TARGET = 12, 14  # words in the longest sentences


class Pair(NamedTuple):
    """A German sentence, its English translation and their alignment; single spaces separate the words."""

    source: str  # "ich möchte ein Bier ."
    target: str  # "i would like a beer ."
    alignment: tuple[tuple[int, int], ...]  # (source word, target word), both counted from 0, in order


class Splits(NamedTuple):
    """Three lists of pairs that have no German sentence in common; see ``splits``."""

    train: list[Pair]
    unseen: list[Pair]
    compositional: list[Pair]


# --- The lexicon ---


def rows(table: str) -> list[list[str]]:
    """The lines of a table, each a list of its cells."""
    return [[cell.strip() for cell in line.split("|")] for line in table.strip("\n").splitlines()]


class Noun(NamedTuple):
    german: str
    gender: int  # 0 to 3: masculine, feminine, neuter, plural
    english: str
    articles: list[str]


# Articles ("-" is none, "Glas" is "ein Glas", "Tasse" is "eine Tasse") | noun, gender (p: plural), English
NOUNS = {
    german: Noun(german, "mfnp".index(gender), english, articles.split())
    for articles, nouns in rows("""
der ein - kein       | Bier n beer, Cola f coke
der ein - kein Tasse | Kaffee m coffee, Tee m tea
der - kein Glas      | Wasser n water, Milch f milk, Wein m wine
der - kein           | Brot n bread, Käse m cheese, Suppe f soup, Äpfel p apples, Bücher p books, Blumen p flowers
der ein kein         | Apfel m apple, Ei n egg, Buch n book, Brief m letter, Zeitung f newspaper, Schlüssel m key
der ein kein         | Auto n car, Haus n house, Koffer m suitcase, Hund m dog, Katze f cat
der                  | Tür f door, Fenster n window, Mann m man, Frau f woman, Kind n child, Lehrer m teacher
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
klein | small | Kind Hund Katze Haus Koffer Fenster
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


# Infinitive | ich, du, er | the prefix they leave behind | perfect; a state has none | English: base, he, -ing, past
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
suchen    | suche suchst sucht          |     | hat gesucht     | look for, , looking for, looked for
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
""")
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
suchen    | der mein                  | Schlüssel Brief Zeitung Hund Katze
suchen    | der mein                  | Mann Frau Kind Lehrer Freund Mutter Bruder Schwester
besuchen  | der mein                  | Mann Frau Lehrer Freund Mutter Bruder Schwester
anrufen   | der mein                  | Mann Frau Lehrer Freund Mutter Bruder Schwester
aufmachen | der                       | Tür Fenster Koffer Brief
zumachen  | der                       | Tür Fenster Koffer
haben     | ein - kein                | Hund Katze Auto Haus Koffer Schlüssel Bruder Schwester
haben     | - kein                    | Brot Milch Käse Wein Äpfel Blumen Bücher
brauchen  | der ein kein              | Auto Koffer Schlüssel Buch
brauchen  | - kein                    | Brot Milch Wasser
kennen    | der mein                  | Mann Frau Kind Lehrer Freund Mutter Bruder Schwester
          | ein - kein Glas Tasse     | Bier Cola Kaffee Tee Wasser Milch Wein
          | ein - kein                | Apfel Ei Brot Käse Suppe
""")
]
PLACES = {"nach Hause": "home", "in den Park": "to the park", "in die Bäckerei": "to the bakery", "ins Kino": ...}
