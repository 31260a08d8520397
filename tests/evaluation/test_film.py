"""The film moves, ends where it should, and is small."""

import io
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from PIL import Image

from llt.evaluation import film
from llt.evaluation.film import make_film
from llt.evaluation.moments import predict_moments, quantities, view_of
from tests.data.kinds import KINDS, timed
from tests.evaluation.test_cases import doubling


def frames(content):
    """What is seen on a white page, and for how many milliseconds; and how often, 0: always."""
    picture = Image.open(io.BytesIO(content))
    found = []
    for number in range(getattr(picture, "n_frames", 1)):
        picture.seek(number)
        page = Image.new("RGBA", picture.size, "white")
        page.alpha_composite(picture.convert("RGBA"))
        found.append((np.asarray(page.convert("RGB"), float), picture.info.get("duration")))
    return found, picture.info.get("loop")


def filmed(data, numbers):
    surrogate = doubling(data)
    moments = predict_moments(surrogate, data, data.sample(1), numbers)
    view = view_of(surrogate, data.problem, moments)
    return make_film(data.problem, quantities(data.problem)[0], moments, view)


@pytest.fixture(scope="module")
def whole():
    return filmed(timed(), [0, 1, 2, 5])


def test_it_begins_with_the_last_moment_which_stays_and_is_the_still(whole):
    found, loop = frames(whole.moving)
    assert loop == 0 and len(found) == 4
    waits = [wait for _, wait in found]
    assert waits[0] == 1500 and waits[1:] == [750] * 3
    ((still, _),) = frames(whole.still)[0]
    away = [np.abs(frame - still).mean() for frame, _ in found]
    assert away[0] < 2 < min(away[1:])


def test_prediction_stands_beside_the_reference_in_the_order_of_time(monkeypatch):
    drawn = []

    def watched(problem, quantity, sample, u, values, scale):
        drawn.append((u, values))
        return panel_of(problem, quantity, sample, u, values, scale)

    panel_of = film.panel_of
    monkeypatch.setattr(film, "panel_of", watched)
    data = timed()
    filmed(data, [0, 3, 5])
    for k, number in enumerate([5, 0, 3]):
        truth = data.sample(1).outputs[number]
        length = np.linalg.norm(truth[:, 2:], axis=1)
        for factor, (u, values) in zip((1, 2), drawn[2 * k :], strict=False):
            np.testing.assert_array_equal(u, factor * truth)
            np.testing.assert_allclose(values, factor * length, rtol=1e-6)


def test_on_a_page_it_has_words_and_a_still_for_who_wants_no_motion(whole):
    page = ET.fromstring(whole.picture("|u| over time"))
    (source,), (image,) = page.iter("source"), page.iter("img")
    assert "reduced-motion" in source.get("media")
    assert image.get("alt") == "|u| over time"
    assert image.get("src").startswith("data:image/webp;base64,")


def test_a_large_film_is_compressed_more(monkeypatch, whole):
    monkeypatch.setattr(film, "MOST_BYTES", len(whole.moving) - 1)
    assert len(filmed(timed(), [0, 1, 2, 5]).moving) < len(whole.moving)


def test_point_sets_and_parts_of_them_are_filmed():
    found, _ = frames(filmed(KINDS["flow-ragged-timed-inputs"](), [0, 1]).moving)
    assert len(found) == 2
