"""The sheet with all that a Transformer computes: every stage, every thread, the true numbers."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
import torch
from matplotlib.colors import to_hex
from matplotlib.patches import PathPatch
from pypdf import PdfReader

import transformer_lite as tl
from attention_by_hand.palette import HEADS
from dev.make import poster


@pytest.fixture(scope="module")
def translation():
    return tl.load_translator().translate(poster.SENTENCE)


@pytest.fixture(scope="module")
def sheet(translation):
    figure = poster.draw(translation)
    yield figure.axes[0]
    plt.close(figure)


def test_every_word_has_its_strip_at_every_stage_with_the_models_numbers(sheet, translation):
    stages, _ = poster.run(translation)
    strips = [image.get_array() for image in sheet.images]
    encoder = 2 + 2 * 4  # the row, the place, and in each layer two times found and added
    decoder = 2 + 2 * 6
    assert len(strips) == 9 * encoder + 10 * decoder
    memory = stages["encoder.1.norm2"]
    drawn = {strip.tobytes() for strip in strips}
    assert all(row[None].tobytes() in drawn for row in memory)
    heights = {round(image.get_extent()[2], 3) for image in sheet.images}
    assert len(heights) >= decoder


def test_the_threads_of_one_word_have_the_colours_of_their_heads_and_all_others_are_grey(
    sheet, translation
):
    maps = translation.attention
    lit = translation.tokens.index(poster.WORD)
    asked = maps.cross[-1][0, :, lit].mean(0).argmax()
    expected = {colour: [] for colour in (*HEADS, poster.LINE)}
    for kind, one in ((maps.encoder, asked), (maps.decoder, lit), (maps.cross, lit)):
        for layer in kind:
            for head, rows in enumerate(layer[0]):
                own = rows[one]
                expected[HEADS[head]] += (poster.THICKEST * own[own >= poster.LEAST]).tolist()
                others = torch.cat([rows[:one], rows[one + 1 :]])
                grey = others[others >= poster.LEAST_GREY]
                expected[poster.LINE] += (poster.THICKEST * grey / 2).tolist()
    threads = [patch for patch in sheet.patches if isinstance(patch, PathPatch)]
    for colour, widths in expected.items():
        drawn = [t.get_linewidth() for t in threads if to_hex(t.get_edgecolor()) == colour]
        assert np.allclose(sorted(drawn), sorted(widths), atol=1e-4)
    assert translation.source_tokens[asked] == "zugemacht"


def test_its_sentences_have_numbers_at_their_places_and_letters_to_be_read_from_two_metres(sheet):
    sizes = {text.get_text(): text.get_size() for text in sheet.texts if text.get_text()}
    assert all(sizes[sentence] >= 20 for sentence in poster.LEGEND) and len(poster.LEGEND) == 8
    numbers = [text.get_text() for text in sheet.texts]
    assert all(numbers.count(str(n)) == 2 for n in range(1, 9)), "in the list and in the drawing"
    assert min(sizes.values()) >= 12


def test_the_sheet_has_the_size_a2_and_its_letters(tmp_path):
    poster.main(["--folder", str(tmp_path)])
    (page,) = PdfReader(tmp_path / "transformer.pdf").pages
    assert [round(float(side) / 72 * 25.4) for side in page.mediabox[2:]] == [594, 420]
    assert "zugemacht" in page.extract_text()
    assert (tmp_path / "transformer.svg").stat().st_size > 100_000


def test_a_folder_that_is_not_there_is_named(tmp_path, capsys):
    with pytest.raises(SystemExit):
        poster.main(["--folder", str(tmp_path / "none")])
    assert "is no folder" in capsys.readouterr().err
