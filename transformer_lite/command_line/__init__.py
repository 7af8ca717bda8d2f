"""The command line, ``python -m transformer_lite``: train, translate, evaluate, pairs, write.

It knows the library, which does not know it: ``main`` names the arguments of Python in the words of
the command line, where something goes wrong.
"""
