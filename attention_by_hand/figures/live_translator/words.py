"""What a reader may put in the place of a word: words of the same kind that the translator knows,
which it also offers for what it does not know.

`KINDS` says which nouns, adverbs and small words are of one kind, and behind a bar some that a
stranger may well try. Verbs and adjectives are of one kind if they have the same form, which the
grammar knows.
"""

from transformer_lite.data.grammar.lexicon import ADJECTIVE_ENDINGS, ADJECTIVES, MODALS, VERBS

KINDS = """
Bier Wein Tee Kaffee Milch Wasser Cola | Saft Limo Limonade Kakao Schnaps Sekt Getränk juice drink
Brot Käse Suppe Ei Apfel Äpfel | Pizza Kuchen Fleisch Wurst Reis Salat Fisch Eis Nudeln cake meat rice
Mann Frau Kind Lehrer Freund | Junge Mädchen Lehrerin Freundin Arzt Student boy girl person
Bruder Schwester Mutter | Vater Oma Opa Sohn Tochter Onkel Tante Eltern father son daughter
Hund Katze | Vogel Pferd Maus Tier Kuh Hase bird horse animal
Auto Koffer Schlüssel | Fahrrad Rad Zug Bus Tasche Computer Handy bike bus phone
Haus Tür Fenster | Wohnung Zimmer Küche Garten Dach room garden
Buch Brief Zeitung Bücher | Roman Heft Bild Geschichte story
Park Kino Bäckerei | Stadt Schule Theater Supermarkt Wald Restaurant city school
heute morgen gestern jetzt oft manchmal nie | bald später immer übermorgen gerade always soon
der die das den ein eine einen | dem des einem einer
ich du er sie wir | ihr man es mich dich it they
mein meine meinen | dein deine sein ihre unser your his her our
warum wann was wer wen | wo wie woher where how
weil dass ob | aber denn wenn oder und and but or
"""  # noqa: E501 (a kind on a line)


def kinds(known: set[str]) -> list[list[list[str]]]:
    """[words that the translator knows, words that it does not know] for each kind."""
    lines = [line.split(" |") for line in KINDS.strip().splitlines()]
    pairs = [(inside.split(), outside.split()) for inside, outside in lines]
    pairs += [(forms, []) for forms in _forms()]
    return [
        [[word for word in dict.fromkeys(inside) if word in known], outside]
        for inside, outside in pairs
    ]


def _forms() -> list[list[str]]:
    """Verbs by person, infinitive or participle, and adjectives by ending."""
    people = [[verb.present[n] for verb in VERBS.values() if verb.infinitive] for n in range(4)]
    modals = [[modal[n] for modal in MODALS.values()] for n in range(4)]
    participles = [verb.participle for verb in VERBS.values() if verb.participle]
    endings = {ending for cases in ADJECTIVE_ENDINGS.values() for case in cases for ending in case}
    adjectives = [[stem + ending for stem in ADJECTIVES] for ending in sorted(endings)]
    return [*modals, *people, participles, list(VERBS), *adjectives]
