"""Plots show the data that was computed, whatever it is, without warnings."""

from __future__ import annotations

import importlib.util
import io
import re
import sys

import numpy as np
import pytest
from matplotlib.image import imread

from helpers.bundled import bundled, many_topics
from helpers.fresh import run_fresh
from textperceptron import AveragedPerceptron, BagOfWords, Perceptron, TextModel
from textperceptron._validation import MissingPackageError
from textperceptron.learn.calibration import expected_calibration_error, reliability_bins
from textperceptron.margins import report as margin_report
from textperceptron.report import (
    CurvePoint,
    Proportion,
    bound_of,
    evaluate,
    plots,
    text_margins,
    threshold_curve,
    wilson_interval,
)
from textperceptron.report.interval import percent
from textperceptron.report.plots import canvas
from textperceptron.settings import recipe

AWKWARD = ["$x_1$", "_hidden", "a\tb\x1b[31m", "差评", "رائع", "שלום", "x" * 60, "\u202egnp", "🙂", ""]


@pytest.fixture(scope="module")
def reviews():
    train, test = bundled("reviews")
    return TextModel.train(*train, recipe("best").replace(calibrate=True)), train, test


def legend_of(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def ticks(axis):
    return [label.get_text() for label in axis.get_ticklabels()]


def texts_of(ax):
    return [text.get_text() for text in ax.texts]


def test_epochs_shows_accuracy_mistakes_and_the_test(reviews):
    model, *_ = reviews
    ax = plots.epochs(model.history, test=Proportion(127, 160))
    assert ax.lines[0].get_xdata().tolist() == [epoch.epoch for epoch in model.history]
    assert ax.lines[0].get_ydata().tolist() == [epoch.progressive_accuracy for epoch in model.history]
    assert texts_of(ax) == [f"{epoch.mistakes:,}" for epoch in model.history]
    assert legend_of(ax)[1] == "test: 79.4 %, 95 % interval 72.5–84.9"
    to_mistakes = ax.child_axes[0]._functions[0]
    assert to_mistakes(model.history[0].progressive_accuracy) == pytest.approx(model.history[0].mistakes)


def test_epochs_of_one_vs_all_shows_mistakes_alone_and_early_stopping_a_second_line():
    train, _ = bundled("stars")
    model = TextModel.train(*train, "best")
    ax = plots.epochs(model.history, test=Proportion(1, 2))
    assert ax.lines[0].get_ydata().tolist() == [epoch.mistakes for epoch in model.history]
    assert len(ax.lines) == 1
    model = TextModel.train(*train, recipe("averaged").replace(early_stopping=True))
    ax = plots.epochs(model.history)
    assert ax.lines[1].get_ydata().tolist() == [epoch.validation_accuracy for epoch in model.history]
    with pytest.raises(ValueError, match="no history"):
        plots.epochs(())


def test_a_learning_curve_shows_accuracies_and_intervals():
    points = [CurvePoint(20 << k, Proportion(60 + 9 * k, 100)) for k in range(4)]
    ax = plots.learning_curve(points, measured_on="test split")
    assert ax.lines[0].get_xdata().tolist() == [20, 40, 80, 160]
    assert ax.lines[0].get_ydata().tolist() == [point.accuracy.value for point in points]
    corners = ax.collections[0].get_paths()[0].vertices
    for point in points:
        found = sorted(y for x, y in corners if x == point.n_texts)
        assert (found[0], found[-1]) == pytest.approx(point.accuracy.interval)
    assert texts_of(ax) == [percent(point.accuracy.value) for point in points]


def test_margins_show_the_shares_of_train_and_test_and_gamma(reviews):
    model, train, test = reviews
    values = {"train": text_margins(model, *train).values, "test": text_margins(model, *test).values}
    bound = bound_of(model, *train)
    ax = plots.margin_distribution(values, report=bound)
    steps = [patch.get_data() for patch in ax.patches if not patch.get_fill() and hasattr(patch, "get_data")]
    for (shares, edges, _), found in zip(steps, values.values(), strict=True):
        assert (np.histogram(found, edges)[0] / len(found)).tolist() == shares.tolist()
        assert shares.sum() == pytest.approx(1)
        assert np.isclose(edges, 0).any()
    assert f"test: 160 texts, {percent(np.mean(values['test'] <= 0))} % wrong" in legend_of(ax)
    assert [bound.geometric.lower] * 2 in [list(line.get_xdata()) for line in ax.lines]
    assert ax.get_title(loc="left") == str(bound)


def test_margins_of_inseparable_rows_have_no_gamma():
    bound = margin_report([[0, 0], [1, 1], [0, 1], [1, 0]], [0, 0, 1, 1], updates=3)
    ax = plots.margin_distribution({"train": [-0.5, 0.5, 0.5, -0.5]}, report=bound)
    assert legend_of(ax) == ["train: 4 texts, 50.0 % wrong"]
    assert "none: not separable" in ax.get_title(loc="left")
    with pytest.raises(ValueError, match="no margins"):
        plots.margin_distribution({"train": []})


def test_a_confusion_matrix_shows_every_count():
    found = evaluate([1, 1, 2, 3, 3, 3], [1, 2, 2, 3, 3, 1])
    ax = plots.confusion_matrix(found)
    assert texts_of(ax) == [str(n) for row in found.confusion for n in row]
    counts = np.array(found.confusion)
    assert ax.images[0].get_array().tolist() == (counts / counts.sum(axis=1, keepdims=True)).tolist()
    assert ticks(ax.xaxis) == ticks(ax.yaxis) == ["1", "2", "3"]


def test_one_class_at_test_time_is_a_row_and_the_other_one_empty():
    ax = plots.confusion_matrix(evaluate(["pos"] * 3, ["pos", "neg", "pos"]))
    assert texts_of(ax) == ["0", "0", "1", "2"]
    assert texts_of(plots.confusion_matrix(evaluate(["pos"], ["pos"]))) == ["1"]


def test_many_classes_are_shown_by_their_most_frequent_confusions():
    labels = [k for k in range(200) for _ in range(4)]
    predicted = [label if k % 4 else (label * 7) % 200 for k, label in enumerate(labels)]
    predicted[2 * 4 : 3 * 4] = [3] * 4
    ax = plots.confusion_matrix(evaluate(labels, predicted))
    assert ticks(ax.yaxis)[0] == "2 → 3"
    assert texts_of(ax)[0] == " 4 of 4"
    assert len(ax.patches) == 20
    assert len(plots.confusion_matrix(evaluate(range(200), range(200))).patches) == 0


def test_precision_and_recall_are_those_of_the_evaluation(reviews):
    model, _, test = reviews
    scores, positive = model.scores(test.texts), np.array(test.labels) == "pos"
    curve = threshold_curve(scores, positive)
    ax = plots.precision_recall(scores, positive, label="pos")
    assert ax.lines[0].get_xdata().tolist() == curve.recall.tolist()
    assert ax.lines[0].get_ydata().tolist() == curve.precision.tolist()
    pos = evaluate(test.labels, model.predict(test.texts)).classes[1]
    used = f"in use, 0: precision {percent(pos.precision)} %, recall {percent(pos.recall)} %"
    assert used in legend_of(ax)
    ax = plots.threshold_choice(scores, positive, label="pos")
    for line, values in zip(ax.lines, (curve.precision, curve.recall, curve.f1), strict=False):
        assert (line.get_xdata().tolist(), line.get_ydata().tolist()) == (curve.thresholds.tolist(), values.tolist())
    assert f"best F1 here: {percent(curve.f1.max())} %" in legend_of(ax)[-1]


def test_precision_and_recall_of_classes_begin_with_the_worst():
    train, test = many_topics()
    found = evaluate(test.labels, TextModel.train(*train, "mira").predict(test.texts))
    ax = plots.precision_recall_of_classes(found)
    worst = sorted(found.classes, key=lambda each: each.f1)
    assert ticks(ax.yaxis) == [f"{each.label} ({each.support})" for each in worst]
    shown = {line.get_marker(): line.get_xdata().tolist() for line in ax.lines[-3:]}
    assert shown == {
        ">": [each.precision for each in worst], "o": [each.recall for each in worst], "|": [each.f1 for each in worst],
    }  # fmt: skip


def test_reliability_shows_bins_with_their_intervals(reviews):
    model, _, test = reviews
    p, codes = model.probabilities(test.texts), model.parts.classes.codes(test.labels)
    ax = plots.reliability(p, codes)
    bins = reliability_bins(p, codes, 10)
    filled = bins.counts > 0
    assert ax.lines[1].get_xdata().tolist() == (bins.confidence[filled] / bins.counts[filled]).tolist()
    assert ax.lines[1].get_ydata().tolist() == (bins.right[filled] / bins.counts[filled]).tolist()
    ends = [segment[:, 1].tolist() for segment in ax.collections[0].get_segments()]
    pairs = zip(bins.right[filled].tolist(), bins.counts[filled].tolist(), strict=True)
    assert ends == [list(wilson_interval(*pair)) for pair in pairs]
    assert texts_of(ax) == [str(n) for n in bins.counts[filled]]
    assert percent(expected_calibration_error(p, codes, 10)) in ax.get_title(loc="left")
    with pytest.raises(ValueError, match="no texts"):
        plots.reliability(np.empty((0, 2)), [])


def test_top_terms_of_two_classes_have_opposite_signs(reviews):
    model, *_ = reviews
    terms = {label: model.top_terms(label, 5) for label in model.classes}
    (ax,) = plots.top_terms(terms, n=4)
    expected = terms["pos"][:4] + [(term, -weight) for term, weight in terms["neg"][3::-1]]
    assert ticks(ax.yaxis) == [term for term, _ in expected]
    assert [bar.get_width() for bar in ax.patches] == [weight for _, weight in expected]
    assert [bool(bar.get_hatch()) for bar in ax.patches] == [weight < 0 for _, weight in expected]


def test_top_terms_of_more_classes_have_a_panel_each():
    train, _ = bundled("stars")
    model = TextModel.train(*train, "mira")
    terms = {label: model.top_terms(label, 5) for label in model.classes}
    panels = plots.top_terms(terms)
    for ax, (label, pairs) in zip(panels, terms.items(), strict=True):
        assert ax.get_title(loc="right") == label
        assert [bar.get_width() for bar in ax.patches] == [weight for _, weight in pairs]
    assert len(plots.top_terms({label: [("a", 1.0)] for label in range(200)})) == 24
    with pytest.raises(ValueError, match="no terms to draw"):
        plots.top_terms({"neg": [], "pos": []})


X = np.array([[2.0, 1], [1, 2], [-1, 0], [0, -2], [2.0, 1]])
Y = np.array(["pos", "pos", "neg", "neg", "pos"])


def test_a_boundary_is_perpendicular_to_w_and_rows_are_projected_onto_it():
    learner = AveragedPerceptron(max_iter=5).fit(X, Y)
    ax = plots.decision_boundary(learner, X, Y, names=["good", "bad"])
    w, b = learner.coef_[0], learner.intercept_[0]
    boundary = ax.lines[-1]
    for point in (boundary.get_xy1(), boundary.get_xy2()):
        assert w @ point + b == pytest.approx(0, abs=1e-6)
    dotted = [line.get_xydata() for line in ax.lines if line.get_linestyle() == ":"]
    for row, (start, foot) in zip(X, dotted, strict=True):
        assert start.tolist() == row.tolist()
        assert foot @ w == pytest.approx(row @ w)  # the same score
        assert foot[0] * w[1] == pytest.approx(foot[1] * w[0], abs=1e-9)  # on the line of w
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("good", "bad")
    assert "×2" in texts_of(ax)


def test_a_boundary_takes_two_columns_of_a_text_matrix():
    train, _ = bundled("xor")
    words = BagOfWords(binary=True).fit(train.texts)
    rows = words.transform(train.texts)
    learner = Perceptron(max_iter=50).fit(rows, train.labels)
    names = words.get_feature_names_out()
    weights = np.abs(learner.coef_[0])
    columns = tuple(np.argsort(-weights)[:2].tolist())
    ax = plots.decision_boundary(learner, rows, train.labels, columns=columns, names=names, project=False)
    assert (ax.get_xlabel(), ax.get_ylabel()) == tuple(names[list(columns)])
    assert ax.get_title(loc="left").endswith("other columns 0")
    zero = int(np.argmin(weights))
    if weights[zero] == 0:
        with pytest.raises(ValueError, match="are 0, so there is no boundary"):
            plots.decision_boundary(learner, rows, train.labels, columns=(zero, zero))
    with pytest.raises(ValueError, match="3 classes"):
        plots.decision_boundary(Perceptron().fit(X, [1, 2, 3, 1, 2]), X, [1, 2, 3, 1, 2])


def test_updates_are_those_of_the_perceptron():
    panels = plots.perceptron_updates(X, Y, panels=50)
    w, expected = np.zeros(3), []
    for _ in range(100):
        mistakes = 0
        for k, (row, label) in enumerate(zip(X, Y, strict=True)):
            sign = 1 if label == "pos" else -1
            score = np.append(row, 1) @ w
            if sign * score <= 0:
                w, mistakes = w + sign * np.append(row, 1), mistakes + 1
                expected.append(f"update {len(expected) + 1}: row {k + 1}, a = {canvas.number_text(score)}")
        if not mistakes:
            break
    assert [ax.get_title(loc="left") for ax in panels] == expected
    for point in (panels[-1].lines[-1].get_xy1(), panels[-1].lines[-1].get_xy2()):
        assert np.append(point, 1) @ w == pytest.approx(0)
    with pytest.raises(ValueError, match="3 columns"):
        plots.perceptron_updates(np.eye(3), [0, 1, 1])


def test_xor_needs_the_conjunction():
    without, with_conjunction = plots.xor()
    assert without.get_title(loc="left") == "two columns: 3 of 4 correct"
    assert with_conjunction.get_title(loc="left") == "with the conjunction: 4 of 4 correct"


def test_plots_draw_on_given_axes_and_figures():
    figure = canvas.new_figure()
    ax = figure.subplots()
    found = evaluate(["a", "b"], ["a", "a"])
    assert plots.confusion_matrix(found, ax=ax) is ax
    figure = canvas.new_figure()
    assert {panel.figure for panel in plots.top_terms({1: [("a", 1.0)], 2: [], 3: []}, figure=figure)} == {figure}


SOME_TERMS = {label: [(label, 1.0), ("term", 0.5)] for label in AWKWARD[:3]}
DRAWN = {
    "confusion matrix": lambda: plots.confusion_matrix(evaluate(AWKWARD, AWKWARD[::-1])),
    "classes": lambda: plots.precision_recall_of_classes(evaluate(AWKWARD, AWKWARD[::-1])),
    "terms": lambda: plots.top_terms(SOME_TERMS),
    "terms of two": lambda: plots.top_terms(dict(list(SOME_TERMS.items())[:2])),
    "precision and recall": lambda: plots.precision_recall([1.0, -1.0], [True, False], label="$x_1$"),
    "margins": lambda: plots.margin_distribution({"_hidden": [1.0, -1.0], "差评 رائع 🙂": [2.0]}),
}


@pytest.mark.parametrize(
    ("name", "suffix"), [*((name, "png") for name in DRAWN), ("confusion matrix", "svg"), ("terms of two", "pdf")]
)
def test_awkward_labels_are_drawn_without_a_warning_and_to_the_same_bytes(name, suffix, tmp_path):
    path = tmp_path / f"plot.{suffix}"
    assert plots.save(DRAWN[name](), path) == path.stat().st_size
    assert path.read_bytes() == canvas.to_bytes(DRAWN[name](), suffix)


def test_labels_are_text_whatever_they_contain():
    ax = plots.confusion_matrix(evaluate(AWKWARD, AWKWARD))
    assert {"$x_1$", "_hidden", r"a\tb\x1b[31m", "差评", "رائع", r"\u202egnp"} <= set(ticks(ax.yaxis))
    assert not any(label.get_parse_math() for label in ax.get_yticklabels())
    assert legend_of(plots.margin_distribution({"_hidden $x$": [1.0]})) == ["_hidden $x$: 1 texts, 0.0 % wrong"]
    svg = canvas.to_bytes(ax, "svg").decode()
    assert "رائع" in svg  # browsers find it
    assert "差评" in svg


def test_long_labels_are_shortened_between_characters():
    assert canvas.short("x" * 60) == "x" * 15 + "…" + "x" * 8
    assert canvas.short("好" * 20) == "好" * 7 + "…" + "好" * 4
    accented = "e\u0301" * 20
    shortened = canvas.short(accented)
    assert not shortened.partition("…")[2].startswith("\u0301")
    assert shortened.partition("…")[0].endswith("\u0301")


def test_a_png_is_wide_enough_to_read_and_not_empty(tmp_path):
    plots.save(plots.margin_distribution({"train": [1.0]}), tmp_path / "margins.png")
    pixels = imread(tmp_path / "margins.png")
    assert pixels.shape[1] == canvas.WIDTH * canvas.DPI
    assert len(np.unique(pixels.reshape(-1, pixels.shape[2]), axis=0)) > 20


def test_the_style_of_the_user_has_no_effect_on_files_of_the_command_line():
    import matplotlib

    def drawn():
        with canvas.own_style():
            return canvas.to_bytes(plots.confusion_matrix(evaluate(["a", "b"], ["a", "a"])), "svg")

    expected = drawn()
    with matplotlib.rc_context({"figure.facecolor": "black", "font.family": "serif", "axes.edgecolor": "red"}):
        assert drawn() == expected
        assert matplotlib.rcParams["figure.facecolor"] == "black"


def test_a_file_is_replaced_when_it_is_complete(tmp_path, monkeypatch):
    path = tmp_path / "plot.png"
    path.write_bytes(b"old")
    ax = plots.confusion_matrix(evaluate(["a"], ["a"]))

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(type(ax.figure), "savefig", interrupted)
    with pytest.raises(KeyboardInterrupt):
        plots.save(ax, path)
    assert path.read_bytes() == b"old"
    assert [each.name for each in tmp_path.iterdir()] == ["plot.png"]
    with pytest.raises(ValueError, match=re.escape("plot.gif: the suffix names no format of plots. Use .png, .svg")):
        plots.save(ax, "plot.gif")


def test_without_matplotlib_one_line_names_the_extra(monkeypatch):
    found = importlib.util.find_spec
    monkeypatch.setattr(canvas, "find_spec", lambda name: None if name == "matplotlib" else found(name))
    with pytest.raises(MissingPackageError, match=re.escape('Run: pip install "textperceptron[report]"')):
        plots.confusion_matrix(evaluate(["a"], ["a"]))


def test_nothing_imports_matplotlib_before_a_plot_is_drawn():
    code = (
        "import sys, textperceptron.report.plots as plots, textperceptron.cli.train, textperceptron.cli.evaluate\n"
        "plots.margin_distribution, plots.top_terms, plots.epochs, plots.xor, plots.confusion_matrix\n"
        "print('matplotlib' in sys.modules, end=' ')\n"
        "plots.margin_distribution({'train': [1.0]})\n"
        "print('matplotlib.pyplot' in sys.modules)"
    )
    assert run_fresh(code).split() == ["False", "False"]


def test_a_plot_writes_to_a_stream_as_matplotlib_does():
    file = io.BytesIO()
    plots.confusion_matrix(evaluate(["a"], ["a"])).figure.savefig(file, format="png")
    assert file.getvalue().startswith(b"\x89PNG")
    assert "matplotlib.pyplot" not in sys.modules or sys.modules["matplotlib.pyplot"].get_fignums() == []
