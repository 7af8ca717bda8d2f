"""The model that has read this book, which ``dev/make/own_text.py`` has made."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
MODEL = ROOT / "attention_by_hand" / "models" / "book"
