"""``textperceptron serve``: answer predictions over HTTP."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated

import typer

from textperceptron._interrupts import deferred_interrupts
from textperceptron.cli.common import VERB, Verb, flag
from textperceptron.cli.console import Console, format_bytes
from textperceptron.cli.output import standard_output

if TYPE_CHECKING:
    from textperceptron.serve.app import Service

app = typer.Typer(**VERB)

LIMITS = "Limits"

HELP = """Answer predictions over HTTP.

POST /predict with {"text": "..."} or {"texts": [...]}, and JSON comes back. Further endpoints: /explain, /models, \
/health/live, /health/ready, /metrics (Prometheus), /openapi.json. A model's name is its file's, without suffix. A \
file that is replaced is loaded without a lost request; if the new file is damaged, the model before it keeps \
answering. Ctrl-C or SIGTERM stops the service when accepted requests have been answered.

The service has no passwords and no encryption: it listens at this machine only, unless --host says otherwise."""


@app.command(cls=Verb, help=HELP)
def serve(
    models: Annotated[list[str], typer.Argument(metavar="MODEL...", help="Model files.", show_default=False)],
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", help="Address to listen at; 0.0.0.0 for all of this machine.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(metavar="N", help="Port to listen at; 0 for any free one.")] = 8000,
    processes: Annotated[int, typer.Option(metavar="N", help="Processes; they share the memory of the models.")] = 1,
    max_body: Annotated[
        int, typer.Option(metavar="BYTES", help="Largest body of a request.", rich_help_panel=LIMITS)
    ] = 1_000_000,
    max_texts: Annotated[
        int, typer.Option(metavar="N", help="Largest number of texts per request.", rich_help_panel=LIMITS)
    ] = 10_000,
    timeout: Annotated[
        float,
        typer.Option(metavar="SECONDS", help="Time to receive and answer a request.", rich_help_panel=LIMITS),
    ] = 10,
    check_every: Annotated[
        float, typer.Option(metavar="SECONDS", help="Time between checks of the model files for changes.")
    ] = 1,
    access_log: Annotated[bool, flag("--access-log", help="Log each request to standard error.")] = False,
) -> None:
    """Serve: open the models, listen, answer."""
    with deferred_interrupts():
        from textperceptron.cli.model_io import open_model
        from textperceptron.corpus.errors import import_optional

        for module in ("starlette", "uvicorn", "httptools"):
            import_optional(module, "serve", "serve")
        from textperceptron.serve import ServeSettings, model_names
        from textperceptron.serve.processes import run

    if not 0 <= port <= 65535:
        raise ValueError(f"--port {port}: use 1 to 65535, or 0 for any free one.")
    for option, number in (("--processes", processes), ("--max-body", max_body), ("--max-texts", max_texts)):
        if number < 1:
            raise ValueError(f"{option} {number}: use 1 or more.")
    for option, seconds in (("--timeout", timeout), ("--check-every", check_every)):
        if not 0 < seconds < math.inf:
            raise ValueError(f"{option} {seconds:g}: use a number of seconds above 0.")
    model_names(models)  # raises for two of one name
    for path in models:
        open_model(path)  # its errors have remedies
    settings = ServeSettings(
        tuple(models), host=host, port=port, processes=processes, max_body=max_body, max_texts=max_texts,
        timeout=timeout, check_every=check_every, access_log=access_log,
    )  # fmt: skip
    console = Console()

    def announce(service: Service, address: str) -> None:
        for each in service.models.values():
            model, size = each.loaded.model, format_bytes(each.loaded.key.size)
            details = f"{model.n_columns:,} columns, {len(model.classes)} classes, {size}"
            console.line((each.name, "bold"), f": {each.path}, {details}")
        n = "1 process" if processes == 1 else f"{processes} processes"
        console.line(f"listening at {address}, {n}; Ctrl-C stops the service")
        standard_output().flush()  # another program may wait for the address

    run(settings, announce)
