"""The Transformer once more, in the page: plain JavaScript that reads, translates and learns in the
reader's browser.

`transformer.js` is `attention.py`, `layers.py` and `model.py`; `decoder_only.js`, `decoding.js` and
`training.js` are their namesakes; `tensor.js` and `random.js` stand in for PyTorch. The numbers are
the same: with the same weights or the same seed. `pack.py` writes a model for it; `client.js`
starts it in a worker.
"""
