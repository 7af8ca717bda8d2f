"""What is run around the Transformer, and need not be read to understand it.

``recipe`` says what decides a training, and ``trainer`` carries it out, with the help of
``distributed`` (several processes), ``interrupt`` (Ctrl-C), ``checkpoints`` and ``progress``.
``evaluation`` measures what came out. ``doctor`` looks at the machine that all of this is to run
on, and ``slides`` puts a chapter on a projector.
"""
