"""What the notebooks of *Attention, by Hand* need beside the model.

This file imports nothing: ``ready`` must run where torch is missing, or does not load.
"""
