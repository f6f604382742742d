"""label_ranks: the place of a text's own label among all."""

from __future__ import annotations

import numpy as np
import pytest

from helpers.bundled import bundled
from textperceptron import TextModel
from textperceptron.model import label_ranks as module
from textperceptron.model.label_ranks import label_ranks
from textperceptron.settings import recipe


@pytest.mark.parametrize("corpus", ["reviews", "stars"])
@pytest.mark.parametrize("multiclass", ["native", "one-vs-one"])
def test_a_rank_is_the_place_among_the_top_labels(corpus, multiclass, monkeypatch):
    monkeypatch.setattr(module, "_BLOCK", 7)
    data = bundled(corpus)
    model = TextModel.train(*data.train, recipe("mira").replace(multiclass=multiclass, max_iter=2))
    ranks = label_ranks(model, data.test.texts, data.test.labels)
    places = [
        [found.label for found in model.top_labels(text, 9)].index(label) + 1
        for text, label in zip(data.test.texts, data.test.labels, strict=True)
    ]
    assert ranks.tolist() == places
    np.testing.assert_array_equal(ranks == 1, np.array(model.predict(data.test.texts)) == data.test.labels)


def test_unknown_labels_come_last_and_no_texts_have_no_ranks():
    model = TextModel.train(*bundled("stars").train, "mira")
    assert label_ranks(model, ["fine", "dull"], ["6", "7"]).tolist() == [6, 6]
    assert label_ranks(model, [], []).tolist() == []
