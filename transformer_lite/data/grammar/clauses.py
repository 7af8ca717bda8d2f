"""Clauses: the parts of a sentence, which of them make sense together, and how each language lays
them out.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from typing import NamedTuple

from .lexicon import (
    ACCUSATIVE,
    ADVERBS,
    BE,
    DAILY,
    DO,
    DU,
    ER,
    HABEN,
    HAVE,
    ICH,
    MODALS,
    NOT_FOR_A_CHILD,
    NOUNS,
    OBJECTS,
    ODD,
    SEIN,
    VERBS,
    WANT,
    Noun,
    Verb,
)
from .phrases import PLACES, SUBJECTS, Phrase, adjectives_of, linked, noun_phrase


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
