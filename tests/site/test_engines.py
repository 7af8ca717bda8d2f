"""Every figure in Firefox: drawn, moved by its keys, live ones at work. WebKitGTK takes a command:
see `engines.py`.
"""

import os

import pytest
from engines import EngineError, Firefox, page_of_examples, saved, walked
from figure_examples import EXAMPLES

pytestmark = pytest.mark.site


@pytest.fixture(scope="module")
def firefox():
    """A headless Firefox. Without one the test is skipped, but under CI=true it fails."""
    try:
        engine = Firefox()
    except EngineError as error:
        if os.environ.get("CI") == "true":
            pytest.fail(str(error), pytrace=False)
        pytest.skip(str(error))
    yield engine
    engine.close()


def test_the_example_of_every_figure_moves(firefox, tmp_path):
    firefox.open(page_of_examples(tmp_path).as_uri())
    figures, wrong = walked(firefox)
    assert figures == list(EXAMPLES) and not wrong


@pytest.mark.weekly  # as Chromium does one of each kind each time
def test_the_example_of_every_figure_saves_itself(firefox, tmp_path):
    firefox.open(page_of_examples(tmp_path).as_uri())
    assert not saved(firefox, list(EXAMPLES))


@pytest.mark.weekly
@pytest.mark.parametrize(
    "page", ["chapters/08-training.html", "chapters/09-reading-attention.html"]
)
def test_the_figures_of_a_page_move(firefox, server, page):
    firefox.open(f"{server}/{page}")
    figures, wrong = walked(firefox)
    assert figures and not wrong
