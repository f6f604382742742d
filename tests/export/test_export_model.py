"""``export_model``: formats by suffix, models that cannot be exported, and files that stay as they were."""

from __future__ import annotations

import base64
import sys
from dataclasses import replace

import numpy as np
import pytest

from helpers.exported import import_or_skip
from textperceptron import TextModel
from textperceptron.export import (
    MissingPackageError,
    c,
    c_source,
    export_model,
    javascript,
    javascript_source,
    model_data,
    onnx_bytes,
    onnx_graph,
    onnx_terms,
    portable,
)
from textperceptron.settings import recipe

TEXTS, LABELS = ["a fine film", "fine acting", "a dull film", "dull and long"], ["pos", "pos", "neg", "neg"]
EXPORTERS = {"javascript": javascript_source, "c": c_source, "onnx": onnx_bytes}


def trained(learner=(), text=(), labels=LABELS):
    settings = recipe("mira")
    settings = replace(settings, text=replace(settings.text, **dict(text)))
    return TextModel.train(TEXTS, labels, replace(settings, learner=settings.learner.replace(**dict(learner))))


def test_the_suffix_names_the_format(tmp_path):
    model = trained()
    for name, source in (("model.js", javascript_source), ("MODEL.C", c_source), ("model.mjs", javascript_source)):
        assert export_model(model, tmp_path / name) == len((tmp_path / name).read_bytes())
        assert (tmp_path / name).read_text("utf-8") == source(model)
    import_or_skip("onnx")
    export_model(model, tmp_path / "model.onnx")
    assert (tmp_path / "model.onnx").read_bytes() == onnx_bytes(model)


def test_a_format_can_be_named(tmp_path):
    export_model(trained(), tmp_path / "model.txt", "c")
    assert "int tp_classify" in (tmp_path / "model.txt").read_text()


@pytest.mark.parametrize(
    ("name", "to", "message"),
    [
        (
            "model.tpm",
            None,
            "model.tpm: the suffix names no format. Use .js, .c, .onnx, or say which: javascript, c, onnx",
        ),
        ("model", None, "the suffix names no format"),
        ("model.js", "java", "to='java': models can be exported to javascript, c, onnx"),
    ],
)
def test_an_unknown_format_writes_nothing(name, to, message, tmp_path):
    with pytest.raises(ValueError, match=message):
        export_model(trained(), tmp_path / name, to)
    assert not list(tmp_path.iterdir())


CANNOT = {
    "voted": (lambda: trained({"learner": "voted", "max_iter": 2}), "the voted perceptron stores texts, not weights"),
    "column pairs": (lambda: trained({"pair_bits": 8}), "pair_bits=8: column pairs cannot be exported"),
    "pattern": (lambda: trained(text={"token_pattern": "[a-z]+"}), r"token_pattern='\[a-z\]\+' runs in Python's re"),
}


@pytest.mark.parametrize("to", EXPORTERS)
@pytest.mark.parametrize("name", CANNOT)
def test_models_that_cannot_be_exported_leave_the_file_as_it_was(name, to, tmp_path):
    make, message = CANNOT[name]
    path = tmp_path / "model"
    path.write_text("before")
    with pytest.raises(ValueError, match=message) as caught:
        export_model(make(), path, to)
    assert "Train with" in str(caught.value)
    assert path.read_text() == "before"


def test_onnx_has_no_hash_of_strings(tmp_path):
    with pytest.raises(ValueError, match=r"n_features=64: ONNX cannot hash terms\. Export to javascript or c"):
        export_model(trained(text={"n_features": 64}), tmp_path / "model.onnx")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("to", "module"), [("javascript", javascript), ("c", c), ("onnx", onnx_graph)])
def test_a_file_that_no_program_could_read_is_not_written(to, module, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "MAX_BYTES", 100)
    with pytest.raises(ValueError, match="Prune the model"):
        export_model(trained(), tmp_path / "model", to)
    assert not list(tmp_path.iterdir())


def test_hashed_weights_that_would_be_too_many_are_refused(monkeypatch):
    model = trained({"multiclass": "native", "hash_bits": 6}, labels=["a", "b", "c", "a"])
    monkeypatch.setattr(portable, "MAX_WEIGHTS", 10)
    with pytest.raises(ValueError, match=r"columns × 3 classes are hashed to 2\*\*6.*Train with fewer columns"):
        model_data(model)


def test_without_the_package_onnx_the_error_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(MissingPackageError, match=r'pip install "textperceptron\[export\]"'):
        export_model(trained(), tmp_path / "model.onnx")
    assert not list(tmp_path.iterdir())


def test_the_terms_of_onnx_are_padded_and_have_no_surrogates():
    model = trained(text={"token_pattern": r"\w+|[^\w\s]"})
    assert onnx_terms(model, ["a \ud800", ""]).tolist() == [["a", "\n\nd800", "a \n\nd800"], ["", "", ""]]
    assert onnx_terms(model, []).shape == (0, 1)
    assert onnx_terms(model, [""]).shape == (1, 1)


def test_the_graph_names_its_input_and_outputs():
    onnx = import_or_skip("onnx")
    graph = onnx.load_model_from_string(onnx_bytes(trained({"calibrate": True, "validation_fraction": 0.5}))).graph
    assert [each.name for each in graph.input] == ["terms"]
    assert [each.name for each in graph.output] == ["label", "scores", "probabilities"]


def test_an_onnx_file_is_the_same_each_time():
    import_or_skip("onnx")
    assert onnx_bytes(trained()) == onnx_bytes(trained())


def test_data_are_plain_json_values():
    data = model_data(trained())
    assert data["names"][:2] == list(trained().parts.features.vocabulary)[:2]
    assert np.frombuffer(base64.b64decode(data["intercepts"]), "<f4") == trained().parts.model.intercepts()
