"""The HTTP service: predictions and explanations of model files, on Starlette and uvicorn (the extra ``serve``).

============  ==========================================================================================
settings      what to serve, where, and the limits of a request
models        model files that are copied, verified, and reloaded when they change
predictions   labels, scores and probabilities of texts, as JSON
bodies        the body of a request: read within limits, validated
errors        the one shape of all errors
metrics       counters and latencies, in Prometheus's format
openapi       the description of the endpoints
app           the endpoints
processes     sockets, processes, signals
============  ==========================================================================================

``textperceptron serve`` runs it. :func:`textperceptron.serve.app.create_app` returns the same as an ASGI application,
for other servers.
"""

from __future__ import annotations

from textperceptron.serve.settings import ServeSettings, model_names

__all__ = ["ServeSettings", "model_names"]
