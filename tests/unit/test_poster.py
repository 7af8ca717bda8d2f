"""The sheet with all that a Transformer computes: every stage, every thread, the true numbers."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
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


def test_a_thread_is_as_thick_as_its_weight_in_the_colour_of_its_head(sheet, translation):
    maps = translation.attention
    expected = {colour: [] for colour in HEADS}
    for kind in (maps.encoder, maps.decoder, maps.cross):
        for layer in kind:
            for head, rows in enumerate(layer[0]):
                large = rows[rows >= poster.LEAST]
                expected[HEADS[head]] += (poster.THICKEST * large).tolist()
    threads = [patch for patch in sheet.patches if isinstance(patch, PathPatch)]
    for colour, widths in expected.items():
        drawn = [t.get_linewidth() for t in threads if to_hex(t.get_edgecolor()) == colour]
        assert np.allclose(sorted(drawn), sorted(widths), atol=1e-4)


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
