"""The OpenAPI document of the service."""

from __future__ import annotations

from typing import Any

from textperceptron import __version__
from textperceptron.serve.settings import ServeSettings

_LABEL = {"oneOf": [{"type": "string"}, {"type": "integer"}, {"type": "boolean"}]}
_LABEL_TEXT = "A label as it was in the corpus: a string, an integer or a truth value."
_MODEL = {"type": "string", "description": "Name of the model: its file's, without suffix."}
_VERSION = {
    "type": ["string", "null"],
    "description": "First 12 digits of the SHA-256 digest of the model file; null for files without one.",
}
_NUMBERS = {"type": "array", "items": {"type": "number"}}
_SPANS = {
    "type": "array",
    "items": {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2},
    "description": "Start and end in code points.",
}


def openapi_document(settings: ServeSettings, names: list[str]) -> dict[str, Any]:
    """Return the document as JSON.

    Parameters
    ----------
    settings : ServeSettings
        Whose limits are in the schemas.
    names : list of str
        Names of the models.
    """
    model = {**_MODEL, "enum": names}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "textperceptron",
            "version": __version__,
            "summary": "Labels of texts, and why.",
            "description": (
                f"Bodies have at most {settings.max_body} bytes and {settings.max_texts} texts. Requests take at most "
                f"{settings.timeout:g} seconds."
            ),
        },
        "paths": {
            "/predict": {
                "post": _operation(
                    "predict", "Classify one text, or several.", "PredictRequest",
                    {"oneOf": [_schema("Prediction"), _schema("Predictions")]},
                )
            },
            "/explain": {
                "post": _operation(
                    "explain", "Show the contribution of each term to the scores of a text.", "ExplainRequest",
                    _schema("Explanation"),
                )
            },
            "/models": {"get": _operation("models", "List the models.", None, _schema("Models"))},
            "/health/live": {
                "get": _operation("live", "Whether the process runs.", None, _object({"status": {"const": "live"}}))
            },
            "/health/ready": {
                "get": _operation(
                    "ready", "Whether requests are answered, and whether each model is the one in its file.", None,
                    _schema("Health"),
                )
            },
            "/metrics": {
                "get": {
                    "operationId": "metrics",
                    "summary": "Counters and latencies, in Prometheus's text format.",
                    "responses": {"200": {"description": "The metrics.", "content": {"text/plain": {}}}},
                }
            },
            "/openapi.json": {
                "get": _operation("openapi", "This document.", None, {"type": "object"}),
            },
        },
        "components": {"schemas": _schemas(settings, model)},
    }  # fmt: skip


def _schemas(settings: ServeSettings, model: dict[str, Any]) -> dict[str, Any]:
    label = {**_LABEL, "description": _LABEL_TEXT}
    text = {"type": "string", "description": "The text."}
    ranked = {
        "label": label,
        "score": {"type": "number", "description": "Score of the label; with two classes above 0."},
        "probability": {"type": "number", "description": "If the model was trained with --calibrate."},
    }
    prediction = {
        **ranked,
        "top": {"type": "array", "items": _schema("RankedLabel"), "description": "The best labels, if requested."},
        "labels": {
            "type": "array",
            "items": _schema("RankedLabel"),
            "description": "The labels of the text, best first; only if the model gives a text several.",
        },
    }
    source = {"model": model, "version": _VERSION}
    return {
        "PredictRequest": {
            **_object(
                {
                    "text": text,
                    "texts": {"type": "array", "items": {"type": "string"}, "maxItems": settings.max_texts},
                    "model": {**model, "description": "May be left out if one model is served."},
                    "top": {"type": "integer", "minimum": 1, "description": "Number of labels, best first."},
                },
                required=[],
            ),
            "oneOf": [{"required": ["text"]}, {"required": ["texts"]}],
        },
        "ExplainRequest": _object(
            {
                "text": text,
                "model": {**model, "description": "May be left out if one model is served."},
                "top": {
                    "type": "integer", "minimum": 0, "default": 20,
                    "description": "Number of terms, largest contribution first; 0 for all.",
                },
            },
            required=["text"],
        ),
        "RankedLabel": _object(ranked, required=["label", "score"]),
        "Prediction": _object({**source, **prediction}, required=["model", "version", "label", "score"]),
        "Predictions": _object(
            {
                **source,
                "predictions": {"type": "array", "items": _object(prediction, required=["label", "score"])},
            }
        ),
        "Explanation": _object(
            {
                **source,
                "label": {
                    "anyOf": [label, {"type": "array", "items": _LABEL}],
                    "description": "The label, or the labels if the model gives a text several.",
                },
                "for_class": {**_LABEL, "description": "The class that contributions of words are for: the label."},
                "runner_up": {
                    "oneOf": [_LABEL, {"type": "null"}],
                    "description": "The class with the next best score; null if texts have several labels.",
                },
                "classes": {
                    "type": "array", "items": _LABEL,
                    "description": "Classes of the scores, in order; with two classes only the second.",
                },
                "scores": {**_NUMBERS, "description": "Sums of intercepts and all contributions."},
                "intercepts": _NUMBERS,
                "terms": {
                    "type": "array",
                    "items": _object(
                        {
                            "name": {"type": "string"},
                            "value": {"type": "number"},
                            "contributions": _NUMBERS,
                            "places": {
                                "type": "array", "items": _SPANS,
                                "description": "One per occurrence: a span, or one for each word of a conjunction.",
                            },
                        }
                    ),
                },
                "flip": {
                    "oneOf": [
                        {"type": "null"},
                        _object(
                            {
                                "removed": {"type": "array", "items": {"type": "string"}},
                                "spans": _SPANS,
                                "label": {"anyOf": [label, {"type": "array", "items": _LABEL}]},
                            }
                        ),
                    ],
                    "description": "The smallest change that gives another label: words to remove.",
                },
                "n_terms": {"type": "integer", "description": "Terms of the text that the model knows."},
                "others": {**_NUMBERS, "description": "Sums of the contributions of terms that are not listed."},
            }
        ),
        "Models": _object({"models": {"type": "array", "items": _schema("Model")}}),
        "Model": _object(
            {
                "name": model,
                "version": _VERSION,
                "sha256": {"type": ["string", "null"], "description": "SHA-256 digest of the file."},
                "file": {"type": "string"},
                "classes": {"type": "array", "items": _LABEL},
                "n_columns": {"type": "integer"},
                "probabilities": {"type": "boolean", "description": "Whether predictions have probabilities."},
                "settings": {"type": "string", "description": "How it was trained, in words."},
            }
        ),
        "Health": _object(
            {
                "status": {"const": "ready"},
                "models": {
                    "type": "array",
                    "items": _object(
                        {
                            "name": model,
                            "version": _VERSION,
                            "state": {
                                "enum": ["current", "damaged", "missing"],
                                "description": "Whether the model that answers is the one in the file, or the file is "
                                "damaged or missing and the model loaded before answers.",
                            },
                            "message": {"type": ["string", "null"]},
                        }
                    ),
                },
                "process": {"type": "integer", "description": "Id of the process that answered."},
            }
        ),
        "Error": _object(
            {
                "error": _object(
                    {
                        "status": {"type": "integer"},
                        "message": {"type": "string", "description": "The whole error in one line."},
                        "value": {
                            "type": ["string", "number", "boolean", "null"],
                            "description": "The value that is wrong.",
                        },
                        "place": {"type": "string", "description": "Where it is."},
                        "remedy": {"type": "string", "description": "What to do about it."},
                    }
                )
            }
        ),
    }  # fmt: skip


def _operation(name: str, summary: str, body: str | None, found: dict[str, Any]) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "operationId": name,
        "summary": summary,
        "responses": {
            "200": {"description": "The answer.", "content": {"application/json": {"schema": found}}},
            "default": {"description": "An error.", "content": {"application/json": {"schema": _schema("Error")}}},
        },
    }
    if body is not None:
        content = {"application/json": {"schema": _schema(body)}}
        operation["requestBody"] = {"required": True, "content": content}
    return operation


def _schema(name: str) -> dict[str, Any]:
    return {"$ref": f"#/components/schemas/{name}"}


def _object(properties: dict[str, Any], required: list[str] | None = None) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties) if required is None else required,
        "additionalProperties": False,
    }
