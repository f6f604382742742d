"""The endpoints of the service: the answers of TextModel, one shape of errors, metrics, and an OpenAPI document."""

from __future__ import annotations

import json
import socket
import time

import numpy as np
import pytest
from jsonschema import Draft202012Validator
from openapi_spec_validator import validate
from prometheus_client.parser import text_string_to_metric_families

from helpers.service import serving
from textperceptron import TextModel, load_corpus
from textperceptron.serve import ServeSettings
from textperceptron.serve.app import create_app
from textperceptron.serve.predictions import is_quick
from textperceptron.settings import recipe

REVIEWS = load_corpus("reviews")
TEXTS = [*REVIEWS.test.texts, "", " ", "soup", "ß", "什么", "\ud800 soup", "so good " * 50]
MODELS = {
    "reviews": ("reviews", recipe("best").replace(calibrate=True)),
    "stars": ("stars", "best"),
    "numbers": ("stars", recipe("mira").replace(calibrate=True)),
    "hashed": ("reviews", recipe("mira").replace(n_features=2**12)),
    "pairs": ("stars", recipe("mira").replace(multiclass="one-vs-one", max_iter=2)),
    "voted": ("reviews", recipe("mira").replace(learner="voted", max_iter=1)),
    "pattern": ("reviews", recipe("mira").replace(token_pattern=r"[a-z]+")),
}


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    found = {}
    for name, (corpus, settings) in MODELS.items():
        train = load_corpus(corpus).train
        labels = [int(label) for label in train.labels] if name == "numbers" else train.labels
        found[name] = TextModel.train(train.texts, labels, settings)
        found[name].save(folder / f"{name}.tpm")
    return folder, found


@pytest.fixture(scope="module")
def service(models):
    with serving(*sorted(models[0].iterdir()), "--timeout", "5") as running:
        yield running


@pytest.fixture(scope="module")
def schemas(service):
    return service.get("/openapi.json")[1]


def conforms(document, schema, value):
    """Whether a value has the form that the document describes."""
    Draft202012Validator({**document, **schema}).validate(value)
    return True


def named(name):
    return {"$ref": f"#/components/schemas/{name}"}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("texts", [TEXTS[-40:], TEXTS * 8], ids=["few", "many"])
def test_predictions_are_those_of_the_model(service, models, schemas, name, texts):
    model = models[1][name]
    is_compiled = name not in ("hashed", "pairs", "voted", "pattern")
    assert is_quick(model, texts) == (is_compiled and len(texts) == 40)  # otherwise they go to a thread
    status, found = service.post("/predict", {"model": name, "texts": texts, "top": 2})
    assert status == 200
    assert conforms(schemas, named("Predictions"), {**found, "predictions": found["predictions"][:40]})
    assert [each["label"] for each in found["predictions"]] == model.predict(texts)
    scores = model.scores(texts)
    per_class = np.column_stack([-scores, scores]) if scores.ndim == 1 else scores
    calibrated = model.parts.calibration is not None
    probabilities = model.probabilities(texts) if calibrated else None
    for k, each in enumerate(found["predictions"]):
        best = [model.classes.index(ranked["label"]) for ranked in each["top"]]
        assert [ranked["score"] for ranked in each["top"]] == per_class[k, best].tolist()
        assert best == np.argsort(-per_class[k], kind="stable")[:2].tolist()
        assert [ranked.get("probability") for ranked in each["top"]] == (
            probabilities[k, best].tolist() if calibrated else [None, None]
        )
        assert {key: each[key] for key in each if key != "top"} == each["top"][0]


@pytest.mark.parametrize("name", MODELS)
def test_one_text_has_the_answer_of_a_batch_of_one(service, schemas, name):
    with service.connect() as connection:
        for text in TEXTS[-7:]:
            one = service.post("/predict", {"model": name, "text": text}, connection)[1]
            batch = service.post("/predict", {"model": name, "texts": [text]}, connection)[1]
            assert conforms(schemas, named("Prediction"), one)
            assert {"model": name, "version": one["version"], **batch["predictions"][0]} == one


def test_an_empty_batch_has_no_predictions(service, schemas):
    status, found = service.post("/predict", {"model": "stars", "texts": []})
    assert (status, found["predictions"]) == (200, [])
    assert conforms(schemas, named("Predictions"), found)


@pytest.mark.parametrize("name", [name for name in MODELS if name != "voted"])
@pytest.mark.parametrize("top", [0, 1, 5])
def test_explanations_are_those_of_the_model_and_add_up(service, models, schemas, name, top):
    for text in TEXTS[-8:]:
        status, found = service.post("/explain", {"model": name, "text": text, "top": top})
        assert status == 200
        assert conforms(schemas, named("Explanation"), found)
        expected = models[1][name].explain(text)
        assert (found["label"], tuple(found["scores"])) == (expected.label, expected.scores)
        assert found["n_terms"] == len(expected.terms)
        assert [term["name"] for term in found["terms"]] == [term.name for term in expected.terms[: top or None]]
        totals = np.array(found["intercepts"]) + found["others"]
        totals += np.sum([term["contributions"] for term in found["terms"]], axis=0) if found["terms"] else 0
        np.testing.assert_allclose(totals, found["scores"], atol=1e-9)


def test_models_are_listed_with_what_is_in_them(service, models, schemas):
    status, found = service.get("/models")
    assert status == 200
    assert conforms(schemas, named("Models"), found)
    for each in found["models"]:
        model = models[1][each["name"]]
        assert (each["classes"], each["n_columns"]) == (list(model.classes), model.n_columns)
        assert each["probabilities"] == (model.parts.calibration is not None)
        assert each["sha256"].startswith(each["version"])


def test_health_is_live_and_ready(service, schemas):
    assert service.get("/health/live") == (200, {"status": "live"})
    status, found = service.get("/health/ready")
    assert status == 200
    assert conforms(schemas, named("Health"), found)
    assert {(each["name"], each["state"]) for each in found["models"]} == {(name, "current") for name in MODELS}


def test_the_openapi_document_is_valid_and_has_exactly_the_paths_of_the_service(schemas, models):
    validate(schemas)
    app = create_app(ServeSettings((str(models[0] / "stars.tpm"),)))
    routes = {(route.path, method.lower()) for route in app.routes for method in route.methods - {"HEAD"}}
    described = {(path, method) for path, methods in schemas["paths"].items() for method in methods}
    assert described == routes


def post_raw(service, body=b"{}", path="/predict", **headers):
    return service.request("POST", path, body, {name.replace("_", "-"): value for name, value in headers.items()})


JSON = {"Content_Type": "application/json"}
BIG = b'{"model": "stars", "text": "' + b"a" * 10_000_000 + b'"}'

# Status, place of the error, a part of its message, and the request.
BAD = {
    "10 MB": (413, "body", "10000030", lambda s: post_raw(s, BIG, **JSON)),
    "10 MB in chunks": (413, "body", "limit of 1000000", lambda s: post_raw(s, iter([BIG[:100], BIG[100:]]), **JSON)),
    "too many texts": (
        413, "texts", "10001", lambda s: post_raw(s, json.dumps({"texts": ["a"] * 10_001}).encode(), **JSON)
    ),
    "no content type": (415, "header Content-Type", "application/json", lambda s: post_raw(s)),
    "a form": (
        415, "header Content-Type", "--json", lambda s: post_raw(s, Content_Type="application/x-www-form-urlencoded")
    ),
    "gzip": (415, "header Content-Encoding", "gzip", lambda s: post_raw(s, **JSON, Content_Encoding="gzip")),
    "empty": (400, "body", "line 1 column 1", lambda s: post_raw(s, b"", **JSON)),
    "not JSON": (400, "body", "line 1 column 10", lambda s: post_raw(s, b'{"text": oops}', **JSON)),
    "cut off": (400, "body", "not valid JSON", lambda s: post_raw(s, b'{"text": "oops', **JSON)),
    "not UTF-8": (400, "body", "not valid JSON", lambda s: post_raw(s, b'{"text": "\xff"}', **JSON)),
    "NaN": (400, "body", "NaN is not a number", lambda s: post_raw(s, b'{"text": NaN}', **JSON)),
    "infinite": (400, "body", "-1e999 is too large", lambda s: post_raw(s, b'{"text": "a", "top": -1e999}', **JSON)),
    "nested": (400, "body", "not valid JSON", lambda s: post_raw(s, b"[" * 100_000, **JSON)),
    "an array": (400, "body", "must be an object", lambda s: post_raw(s, b"[1]", **JSON)),
    "a number": (400, "body", "must be an object", lambda s: post_raw(s, b"1", **JSON)),
    "a large number": (400, "body", "must be an object", lambda s: post_raw(s, b"9" * 300, **JSON)),
    "no text": (400, "body", "text and texts", lambda s: post_raw(s, b"{}", **JSON)),
    "text and texts": (400, "body", "text and texts", lambda s: post_raw(s, b'{"text": "a", "texts": []}', **JSON)),
    "an unknown key": (400, "body", "txet", lambda s: post_raw(s, b'{"txet": "a"}', **JSON)),
    "text null": (400, "text", "null", lambda s: post_raw(s, b'{"text": null}', **JSON)),
    "text an array": (400, "text", "an array", lambda s: post_raw(s, b'{"text": ["a"]}', **JSON)),
    "texts a string": (400, "texts", "array of texts", lambda s: post_raw(s, b'{"texts": "a"}', **JSON)),
    "texts of numbers": (400, "texts[1]", "12", lambda s: post_raw(s, b'{"texts": ["a", 12]}', **JSON)),
    "top 0": (400, "top", "at least 1", lambda s: post_raw(s, b'{"text": "a", "top": 0}', **JSON)),
    "top true": (400, "top", "true", lambda s: post_raw(s, b'{"text": "a", "top": true}', **JSON)),
    "top 1.5": (400, "top", "1.5", lambda s: post_raw(s, b'{"text": "a", "top": 1.5}', **JSON)),
    "no model": (400, "body", "hashed, numbers", lambda s: post_raw(s, b'{"text": "a"}', **JSON)),
    "model a number": (400, "model", "string", lambda s: post_raw(s, b'{"text": "a", "model": 1}', **JSON)),
    "an unknown model": (404, "model", "reveiws", lambda s: post_raw(s, b'{"text": "a", "model": "reveiws"}', **JSON)),
    "explain without text": (400, "body", "text", lambda s: post_raw(s, b"{}", "/explain", **JSON)),
    "explain several": (400, "body", "texts", lambda s: post_raw(s, b'{"texts": ["a"]}', "/explain", **JSON)),
    "explain votes": (
        400, "model", "voted", lambda s: post_raw(s, b'{"text": "a", "model": "voted"}', "/explain", **JSON)
    ),
    "an unknown path": (404, "path", "/perdict", lambda s: post_raw(s, b"{}", "/perdict", **JSON)),
    "a slash": (404, "path", "/predict/", lambda s: post_raw(s, b"{}", "/predict/", **JSON)),
    "GET": (405, "path /predict", "POST", lambda s: s.request("GET", "/predict")),
    "PUT": (405, "path /explain", "POST", lambda s: s.request("PUT", "/explain", b"{}")),
    "POST": (405, "path /metrics", "GET", lambda s: s.request("POST", "/metrics", b"{}")),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_a_bad_request_gets_an_error_with_value_place_and_remedy(service, schemas, name):
    status, place, part, send = BAD[name]
    found, body = send(service)
    assert found == status
    error = json.loads(body, parse_constant=pytest.fail)
    assert conforms(schemas, named("Error"), error)
    assert (error["error"]["status"], error["error"]["place"]) == (status, place)
    message, remedy = error["error"]["message"], error["error"]["remedy"]
    assert part in message
    assert message.endswith(remedy)
    assert remedy.endswith(".")
    assert len(message) < 400
    assert "\n" not in message
    assert service.post("/predict", {"model": "stars", "text": "soup"})[0] == 200


def test_a_wrong_method_names_the_right_ones(service):
    with service.connect() as connection:
        connection.request("DELETE", "/predict")
        response = connection.getresponse()
        assert (response.status, response.headers["Allow"]) == (405, "POST")


def test_a_connection_survives_its_errors(service):
    with service.connect() as connection:
        for body in (
            b"",
            b"{",
            b'{"text": 1}',
            b"a" * 2_000_000,
            json.dumps({"model": "stars", "text": "soup"}).encode(),
        ):
            connection.request("POST", "/predict", body, {"Content-Type": "application/json"})
            response = connection.getresponse()
            response.read()
        assert response.status == 200


def test_bytes_that_are_not_http_do_not_stop_the_service(service):
    for data in (
        b"\x16\x03\x01 hello",
        b"GET / HTTP/9\r\n\r\n",
        b"POST /predict HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
    ):
        with socket.create_connection(("127.0.0.1", service.port), timeout=20) as connection:
            connection.sendall(data)
            assert connection.recv(100).startswith(b"HTTP/1.1 400")
    assert service.get("/health/live")[0] == 200


def test_a_client_that_leaves_does_not_stop_the_service(service):
    with socket.create_connection(("127.0.0.1", service.port), timeout=20) as connection:
        head = b"POST /predict HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"
        connection.sendall(head)
    assert service.post("/predict", {"model": "stars", "text": "soup"})[0] == 200


def test_metrics_count_requests_errors_texts_and_seconds(models):
    with serving(models[0] / "stars.tpm") as service:
        before = service.metrics()
        service.post("/predict", {"text": "soup"})
        service.post("/predict", {"texts": ["soup"] * 10})
        service.post("/explain", {"text": "soup"})
        service.post("/predict", {"texts": 1})
        service.get("/nowhere")
        text = service.request("GET", "/metrics")[1].decode()
    families = {family.name: family for family in text_string_to_metric_families(text)}
    assert {name: family.type for name, family in families.items()} == {
        "textperceptron_requests": "counter",
        "textperceptron_errors": "counter",
        "textperceptron_request_seconds": "histogram",
        "textperceptron_texts": "counter",
        "textperceptron_model_loads": "counter",
        "textperceptron_model_load_failures": "counter",
        "textperceptron_model_current": "gauge",
        "textperceptron_processes": "gauge",
    }
    found = {
        (sample.name.removeprefix("textperceptron_"), *sample.labels.values()): sample.value
        for family in families.values()
        for sample in family.samples
    }
    assert before['textperceptron_texts_total{model="stars"}'] == 0
    assert found["requests_total", "predict", "200"] == 2
    assert found["requests_total", "predict", "400"] == 1
    assert found["requests_total", "other", "404"] == 1
    assert (found["errors_total", "predict"], found["errors_total", "other"], found["errors_total", "explain"]) == (
        1,
        1,
        0,
    )
    assert found["texts_total", "stars"] == 12
    assert (found["model_loads_total", "stars"], found["model_load_failures_total", "stars"]) == (1, 0)
    assert found["model_current", "stars"] == 1
    for endpoint, n in (("predict", 3), ("explain", 1), ("other", 1)):
        buckets = [
            value for (name, *labels), value in found.items() if name.endswith("bucket") and labels[0] == endpoint
        ]
        assert buckets == sorted(buckets)
        assert buckets[-1] == n == found["request_seconds_count", endpoint]
        assert 0 < found["request_seconds_sum", endpoint] < 5


def test_a_body_that_comes_too_slowly_is_an_error_of_the_client(models):
    with (
        serving(models[0] / "stars.tpm", "--timeout", "0.3") as service,
        socket.create_connection(("127.0.0.1", service.port), timeout=20) as connection,
    ):
        head = b"POST /predict HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"
        start = time.monotonic()
        connection.sendall(head)
        answer = connection.makefile("rb").read()  # until the service closes the connection
        assert answer.startswith(b"HTTP/1.1 408 ")
        assert 0.25 < time.monotonic() - start < 5
        assert b"--timeout" in answer


def test_an_answer_that_takes_too_long_is_given_up_and_other_requests_are_answered(models):
    slow = {"texts": ["a b c d e f g " * 200] * 1000}  # takes a second
    limits = "--timeout", "0.2", "--max-body", "4000000"
    with serving(models[0] / "pattern.tpm", *limits) as service, service.connect() as connection:
        status, found = service.post("/predict", slow, connection)
        assert status == 503
        assert "--timeout" in found["error"]["remedy"]
        assert service.post("/predict", {"text": "soup"}, connection)[0] in (200, 503)
        assert service.get("/health/live", connection)[0] == 200


def test_limits_are_options(models):
    with serving(models[0] / "stars.tpm", "--max-body", "60", "--max-texts", "2") as service:
        assert service.post("/predict", {"texts": ["a", "b"]})[0] == 200
        assert service.post("/predict", {"texts": ["a", "b", "c"]})[0] == 413
        status, found = service.post("/predict", {"text": "a" * 60})
        assert (status, found["error"]["value"]) == (413, 72)
