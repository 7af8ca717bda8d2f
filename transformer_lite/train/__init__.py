"""Carrying a training out. It need not be read to understand the Transformer.

``recipe`` says what decides a training, and ``trainer`` carries it out, with the help of
``distributed`` (several processes), ``interrupt`` (Ctrl-C), ``checkpoints`` and ``progress``.
``evaluation`` measures what came out.
"""
