"""Carrying a training out. It need not be read to understand the Transformer.

``recipe`` says what decides a training. ``trainer`` learns from pairs and ``text`` from running
text, and ``loop`` carries both out, with the help of ``distributed`` (several processes),
``interrupt`` (Ctrl-C), ``checkpoints`` and ``progress``.
``evaluation`` measures what came out.
"""
