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

From the words up: ``lexicon``, ``phrases``, ``clauses``, ``constructions``, ``sampling``.
"""

from .sampling import Pair, Splits, every_pair, generate, is_held_out, splits

__all__ = ["Pair", "Splits", "every_pair", "generate", "is_held_out", "splits"]
