"""The words, and what goes with what: one drinks milk, and reads a letter."""

from typing import NamedTuple


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
