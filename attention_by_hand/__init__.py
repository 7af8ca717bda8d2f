"""What the book *Attention, by Hand* shows and asks, around the package ``transformer_lite``.

``figures`` are what moves, ``plots`` what stands still, both in the colours of ``palette``;
``exercises`` checks the answers; ``studies`` has the models that single chapters train, and
``exhibits`` what they show; ``doctor`` says what a machine lacks, and for its sake nothing is
imported here.
"""
