"""The training loop: order, stopping, resuming, Ctrl-C."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest
import scipy.sparse as sp

from textperceptron import AROW, MIRA, AveragedPerceptron, BatchPerceptron, Perceptron, VotedPerceptron
from textperceptron.learn import Plan, check_rows

ALL = [Perceptron, AveragedPerceptron, MIRA, AROW, BatchPerceptron, VotedPerceptron]
ONLINE = [Perceptron, AveragedPerceptron, MIRA, AROW, VotedPerceptron]


def noisy(n=400, d=60, seed=0, dtype=np.float32):
    """A sparse problem whose classes overlap, so that training never converges."""
    rng = np.random.default_rng(seed)
    X = sp.random_array((n, d), density=0.1, rng=rng, dtype=dtype, format="csr")
    y = np.where(X @ rng.normal(size=d) + rng.normal(size=n) > 0, "yes", "no")
    return X, y


def separable(n=60, d=20, seed=0):
    X, _ = noisy(n, d, seed)
    return X, np.where(X @ np.random.default_rng(seed + 1).normal(size=d) > 0, 1, 0)


def assert_same_bits(a, b):
    X, _ = noisy()
    assert a.decision_function(X).tobytes() == b.decision_function(X).tobytes()
    assert a.n_updates_ == b.n_updates_
    assert [r.mistakes for r in a.history_] == [r.mistakes for r in b.history_]


@pytest.mark.parametrize("cls", ALL)
def test_the_same_seed_gives_the_same_bits(cls):
    X, y = noisy()
    assert_same_bits(cls(random_state=3).fit(X, y), cls(random_state=3).fit(X, y))


@pytest.mark.parametrize("cls", ONLINE)
def test_another_seed_gives_another_order(cls):
    X, y = noisy()
    a, b = cls(random_state=3, max_iter=1).fit(X, y), cls(random_state=4, max_iter=1).fit(X, y)
    assert not np.array_equal(a.decision_function(X), b.decision_function(X))


@pytest.mark.parametrize("shuffle", [True, False, "once"])
@pytest.mark.parametrize("cls", ALL)
def test_warm_start_gives_the_same_bits_as_never_having_stopped(cls, shuffle):
    X, y = noisy()
    settings = {} if cls is BatchPerceptron else {"shuffle": shuffle}
    whole = cls(max_iter=7, **settings).fit(X, y)
    parts = cls(max_iter=3, warm_start=True, **settings).fit(X, y)
    parts.set_params(max_iter=4).fit(X, y)
    assert_same_bits(whole, parts)
    assert parts.n_iter_ == 7
    assert [r.epoch for r in parts.history_] == [1, 2, 3, 4, 5, 6, 7]


@pytest.mark.parametrize("cls", ALL)
def test_calls_of_partial_fit_are_epochs(cls):
    X, y = noisy()
    whole = cls(max_iter=4).fit(X, y)
    parts = cls()
    for _ in range(4):
        parts.partial_fit(X, y)
    assert_same_bits(whole, parts)


@pytest.mark.parametrize("cls", ONLINE)
def test_partial_fit_on_parts_of_a_matrix_is_one_pass_over_it(cls):
    X, y = noisy()
    whole = cls(shuffle=False, max_iter=1).fit(X, y)
    parts = cls(shuffle=False)
    for start in range(0, 400, 70):
        parts.partial_fit(X[start : start + 70], y[start : start + 70], classes=["no", "yes"])
    assert parts.decision_function(X).tobytes() == whole.decision_function(X).tobytes()
    assert parts.n_updates_ == whole.n_updates_


@pytest.mark.parametrize("cls", ONLINE)
def test_slices_do_not_change_the_result(cls, monkeypatch):
    X, y = noisy()
    whole = cls(max_iter=3).fit(X, y)
    monkeypatch.setattr("textperceptron.learn.plan.SLICE_ENTRIES", 100)
    calls = []
    sliced = cls(max_iter=3, callback=calls.append).fit(X, y)
    assert len(calls) > 30
    assert calls[-1].rows_done == calls[-1].rows_total == 400
    assert (calls[-1].epoch, calls[-1].max_iter) == (3, 3)
    assert_same_bits(whole, sliced)


def test_training_that_converged_says_so_and_stops():
    X, y = separable()
    fitted = Perceptron(max_iter=1000).fit(X, y)
    assert fitted.stopped_by_ == "converged"
    assert fitted.n_iter_ < 1000
    assert fitted.history_[-1].updates == 0
    assert fitted.score(X, y) == 1


def test_training_that_used_its_epochs_says_so():
    X, y = noisy()
    fitted = MIRA(max_iter=3).fit(X, y)
    assert (fitted.stopped_by_, fitted.n_iter_, len(fitted.history_)) == ("budget", 3, 3)


def test_small_change_stops_when_the_weights_hardly_move():
    X, y = noisy()
    fitted = MIRA(C=1e-3, max_iter=100, tol=0.05).fit(X, y)
    assert fitted.stopped_by_ == "small_change"
    before = MIRA(C=1e-3, max_iter=fitted.n_iter_ - 1, average=False).fit(X, y)
    after = MIRA(C=1e-3, max_iter=fitted.n_iter_, average=False).fit(X, y)
    w, v = (np.append(m.coef_, m.intercept_) for m in (before, after))
    assert np.linalg.norm(v - w) / np.linalg.norm(v) < 0.05


def test_batch_stops_when_its_step_is_short():
    X, y = noisy()
    fitted = BatchPerceptron(max_iter=2000, tol=0.1).fit(X, y)
    assert fitted.stopped_by_ == "small_change"
    assert fitted.history_[-1].mistakes > 0


@pytest.mark.parametrize("cls", ALL)
def test_early_stopping_restores_the_best_weights(cls):
    X, y = noisy(800)
    fitted = cls(max_iter=60, early_stopping=True, validation_fraction=0.25, n_iter_no_change=4).fit(X, y)
    accuracies = [r.validation_accuracy for r in fitted.history_]
    best = int(np.argmax(accuracies))
    assert fitted.stopped_by_ == "validation"
    assert len(accuracies) == best + 1 + 4
    _, held_out = Plan(early_stopping=True, validation_fraction=0.25).split(
        np.where(y == "yes", 1, -1).astype(np.int8), np.empty(0)
    )
    assert len(held_out) == pytest.approx(200, abs=1)
    assert fitted.score(X[held_out], y[held_out]) == max(accuracies)


def test_the_record_of_an_epoch_has_its_mistakes_updates_and_online_loss():
    X, y = noisy()
    fitted = Perceptron(max_iter=2, shuffle=False).fit(X, y)
    first = fitted.history_[0]
    assert (first.epoch, first.rows) == (1, 400)
    assert 0 < first.seconds < 60
    assert first.mistakes == first.updates > 0
    assert first.validation_accuracy is None
    # The online loss of the first epoch, by hand.
    w, b, loss = np.zeros(60), 0.0, 0.0
    for x, label in zip(X.toarray().astype(float), np.where(y == "yes", 1, -1), strict=True):
        score = label * (x @ w + b)
        loss += max(0, -score)
        if score <= 0:
            w, b = w + label * x, b + label
    assert first.online_loss == pytest.approx(loss / 400, rel=1e-5)


@pytest.mark.parametrize("entries", [600, 10**6])  # in the middle of an epoch, and after its last row
@pytest.mark.parametrize("cls", ALL)
def test_ctrl_c_leaves_a_usable_model_of_the_last_finished_slice(cls, entries, monkeypatch):
    X, y = noisy()
    monkeypatch.setattr("textperceptron.learn.plan.SLICE_ENTRIES", entries)

    def stop_in_the_second_epoch(progress):
        if progress.epoch == 2:
            signal.raise_signal(signal.SIGINT)

    fitted = cls(warm_start=True, max_iter=2, callback=stop_in_the_second_epoch)
    with pytest.raises(KeyboardInterrupt):
        fitted.fit(X, y)
    assert fitted.stopped_by_ == "interrupted"
    assert np.isfinite(fitted.decision_function(X)).all()
    fitted.set_params(callback=None, max_iter=1).fit(X, y)
    whole = cls(max_iter=2).fit(X, y)
    assert_same_bits(fitted, whole)
    assert [r.online_loss for r in fitted.history_] == [r.online_loss for r in whole.history_]


@pytest.mark.parametrize("cls", ALL)
def test_an_exception_in_the_callback_is_like_ctrl_c(cls):
    X, y = noisy()

    def fail(progress):
        if progress.rows_done == progress.rows_total:
            raise OSError("no space left for the log")

    fitted = cls(shuffle=False) if cls is not BatchPerceptron else cls()
    fitted.partial_fit(X[:200], y[:200])
    with pytest.raises(OSError, match="no space left"):
        fitted.set_params(callback=fail).partial_fit(X[200:], y[200:])
    assert fitted.stopped_by_ == "interrupted"
    if cls is not BatchPerceptron:
        whole = cls(shuffle=False, max_iter=1).fit(X, y)
        assert fitted.decision_function(X).tobytes() == whole.decision_function(X).tobytes()


def test_other_rows_after_an_interrupted_epoch_are_all_seen():
    X, y = noisy()

    def stop_after_the_last_row(progress):
        if progress.rows_done == progress.rows_total:
            signal.raise_signal(signal.SIGINT)

    fitted = Perceptron(warm_start=True, max_iter=1, callback=stop_after_the_last_row)
    with pytest.raises(KeyboardInterrupt):
        fitted.fit(X, y)
    fitted.set_params(callback=None).fit(X[:300], y[:300])
    assert fitted._fitted.state.seen == 700


def test_a_model_cannot_be_trained_by_two_threads_at_once():
    X, y = noisy()
    learner = VotedPerceptron(kernel="poly").partial_fit(X, y)
    refused = []

    def train_it_too(progress):
        with pytest.raises(RuntimeError, match="another thread"):
            learner.partial_fit(X[:20], y[:20])
        refused.append(progress)

    learner.set_params(callback=train_it_too).partial_fit(X, y)
    assert refused


def test_held_out_rows_have_a_weight():
    X, y = noisy()
    weight = (np.arange(400) % 4 == 0).astype(float)
    learner = Perceptron(early_stopping=True, validation_fraction=0.2).fit(X, y, sample_weight=weight)
    signs = np.where(y == "yes", 1, -1).astype(np.int8)
    _, held_out = Plan(early_stopping=True, validation_fraction=0.2).split(signs, weight)
    assert weight[held_out].all()
    assert len(held_out) == pytest.approx(20, abs=1)
    steps = np.array([r.validation_accuracy for r in learner.history_]) * len(held_out)
    np.testing.assert_allclose(steps, np.round(steps))


def test_warm_start_with_early_stopping_never_returns_less_than_it_began_with():
    X, y = noisy(800)
    settings = {"early_stopping": True, "validation_fraction": 0.25, "n_iter_no_change": 100}
    learner = AveragedPerceptron(max_iter=4, warm_start=True, **settings).fit(X, y)
    _, held_out = Plan(early_stopping=True, validation_fraction=0.25).split(
        np.where(y == "yes", 1, -1).astype(np.int8), np.empty(0)
    )
    before = learner.score(X[held_out], y[held_out])
    assert learner.set_params(max_iter=6).fit(X, y).score(X[held_out], y[held_out]) >= before


@pytest.mark.parametrize("no", [False, 0, np.False_])
def test_every_kind_of_false_keeps_the_order(no):
    X, y = noisy()
    assert_same_bits(Perceptron(shuffle=no, max_iter=1).fit(X, y), Perceptron(shuffle=False, max_iter=1).fit(X, y))


@pytest.mark.slow
def test_a_real_ctrl_c_ends_a_long_run_and_keeps_the_model(tmp_path):
    script = tmp_path / "long.py"
    script.write_text(
        textwrap.dedent("""
        import numpy as np, scipy.sparse as sp, time
        from textperceptron import AveragedPerceptron
        rng = np.random.default_rng(0)
        X = sp.random_array((20000, 5000), density=0.02, rng=rng, dtype=np.float32, format="csr")
        y = rng.integers(0, 2, 20000)
        learner = AveragedPerceptron(max_iter=1000000)
        print("ready", flush=True)
        try:
            learner.fit(X, y)
        except KeyboardInterrupt:
            print(learner.stopped_by_, learner.n_iter_ > 0, np.isfinite(learner.coef_).all(), flush=True)
        """)
    )
    process = subprocess.Popen([sys.executable, "-P", script], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.5)
        assert process.poll() is None, "it was over before it could be interrupted"
        os.kill(process.pid, signal.SIGINT)
        out, _ = process.communicate(timeout=10)
        assert out == "interrupted True True\n"
    finally:
        process.kill()


@pytest.mark.parametrize("cls", ALL)
def test_class_weight_is_a_factor_of_the_sample_weight(cls):
    X, y = noisy()
    weight = np.where(y == "yes", 3.0, 0.5)
    a = cls(class_weight={"yes": 3.0, "no": 0.5}).fit(X, y)
    b = cls().fit(X, y, sample_weight=weight)
    assert_same_bits(a, b)


def test_balanced_class_weight_is_scikit_learns():
    X, y = noisy()
    X, y = X[np.r_[0:400, np.flatnonzero(y == "yes")]], np.r_[y, y[y == "yes"]]
    counts = {label: np.sum(y == label) for label in ("no", "yes")}
    a = Perceptron(class_weight="balanced").fit(X, y)
    b = Perceptron(class_weight={label: len(y) / (2 * n) for label, n in counts.items()}).fit(X, y)
    np.testing.assert_array_equal(a.coef_, b.coef_)


@pytest.mark.parametrize("cls", ONLINE)
def test_a_row_of_weight_zero_is_as_if_it_were_not_there(cls):
    X, y = noisy()
    keep = np.arange(400) % 3 > 0
    a = cls(shuffle=False).fit(X, y, sample_weight=keep.astype(float))
    b = cls(shuffle=False).fit(X[keep], y[keep])
    assert_same_bits(a, b)


@pytest.mark.parametrize("cls", ALL)
def test_padding_by_a_constant_one_equals_the_intercept(cls):
    X, y = noisy(dtype=np.float64)
    padded = sp.csr_array(sp.hstack([X, np.ones((400, 1))]))
    a, b = cls(max_iter=4).fit(X, y), cls(max_iter=4, fit_intercept=False).fit(padded, y)
    np.testing.assert_allclose(a.decision_function(X), b.decision_function(padded), rtol=1e-9, atol=1e-12)
    assert a.n_updates_ == b.n_updates_


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_perceptron_weights_equal_scikit_learns(dtype):
    from sklearn.linear_model import Perceptron as Theirs

    rng = np.random.default_rng(5)
    X = sp.random_array(
        (300, 50), density=0.2, rng=rng, format="csr", data_sampler=lambda size: rng.integers(1, 5, size)
    )
    X = X.astype(dtype)
    y = rng.integers(0, 2, 300)
    theirs = Theirs(fit_intercept=False, shuffle=False, max_iter=7, tol=None).fit(X, y)
    ours = Perceptron(fit_intercept=False, shuffle=False, max_iter=7).fit(X, y)
    np.testing.assert_array_equal(ours.coef_, theirs.coef_)


@pytest.mark.parametrize("cls", ALL)
def test_the_fast_path_for_values_of_one_changes_nothing(cls, monkeypatch):
    X, y = noisy()
    X.data[:] = 1
    assert len(check_rows(X.data, X.indices, X.indptr, X.shape[1]).data) == 0
    fast = cls(max_iter=3).fit(X, y)
    monkeypatch.setattr("textperceptron.learn.rows.first_other_than_one", lambda data: 0)
    slow = cls(max_iter=3).fit(X, y)
    assert_same_bits(fast, slow)


@pytest.mark.parametrize("cls", ALL)
def test_read_only_and_memory_mapped_rows_train_to_the_same_bits(cls, tmp_path):
    X, y = noisy()
    mapped = sp.csr_array(X.shape, dtype=X.dtype)
    for name in ("data", "indices", "indptr"):
        path = tmp_path / f"{name}.npy"
        np.save(path, getattr(X, name))
        setattr(mapped, name, np.load(path, mmap_mode="r"))
    assert_same_bits(cls(max_iter=3).fit(X, y), cls(max_iter=3).fit(mapped, y))


def test_no_copy_is_made_of_the_users_arrays():
    import tracemalloc

    rng = np.random.default_rng(0)
    X = sp.random_array((20000, 1000), density=0.05, rng=rng, dtype=np.float32, format="csr")
    y = rng.integers(0, 2, 20000)
    learner = AveragedPerceptron(max_iter=2).fit(X, y)
    tracemalloc.start()
    learner.fit(X, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < X.data.nbytes / 2


def test_threads_may_train_and_predict_at_the_same_time():
    from concurrent.futures import ThreadPoolExecutor

    X, y = noisy()
    alone = [MIRA(random_state=seed).fit(X, y) for seed in range(6)]
    with ThreadPoolExecutor(3) as pool:
        together = list(pool.map(lambda seed: MIRA(random_state=seed).fit(X, y), range(6)))
        scores = list(pool.map(lambda m: m.decision_function(X), alone))
    for a, b, s in zip(alone, together, scores, strict=True):
        assert_same_bits(a, b)
        np.testing.assert_array_equal(a.decision_function(X), s)
