"""The service as processes: signals, accepted requests, crashes, addresses."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from helpers.fresh import FRESH_PYTHON
from helpers.service import COMMAND, serving, wait_until
from textperceptron import TextModel, load_corpus
from textperceptron.serve.processes import open_socket
from textperceptron.settings import recipe


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "reviews.tpm"
    train = load_corpus("reviews").train
    TextModel.train(train.texts, train.labels, recipe("mira").replace(token_pattern="[a-z]+")).save(path)
    return path


SLOW = {"texts": ["so good and so cheap, but not for long " * 20] * 1000}  # a second or so


@pytest.mark.slow
@pytest.mark.parametrize("processes", [1, 2])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_accepted_requests_are_answered_before_the_service_stops(model, processes, number):
    with serving(model, "--processes", processes, "--timeout", "30") as service:
        answers = []
        clients = [threading.Thread(target=lambda: answers.append(service.post("/predict", SLOW)[0])) for _ in range(3)]
        for client in clients:
            client.start()
        accepted = 'textperceptron_request_seconds_count{endpoint="predict"}'
        assert service.post("/predict", {"text": "good"})[0] == 200  # behind the others: they have arrived
        assert service.metrics()[accepted] >= 1
        code = service.stop(number)
        for client in clients:
            client.join(20)
        assert answers == [200, 200, 200]
        assert code == 0
        assert service.log().endswith("INFO stopped\n")
        assert "Traceback" not in service.log()


@pytest.mark.slow
@pytest.mark.parametrize("processes", [1, 2])
def test_ctrl_c_in_a_terminal_reaches_all_processes_and_prints_no_traceback(model, processes):
    with serving(model, "--processes", processes) as service:
        service.get("/health/live")
        for pid in {*service.pids(processes), service.process.pid}:
            os.kill(pid, signal.SIGINT)
        assert service.process.wait(20) == 0
        assert service.log().endswith("INFO stopped\n")
        assert service.log().count("\n") == 1


@pytest.mark.slow
def test_a_process_that_crashes_is_replaced_and_counters_do_not_decrease(model):
    with serving(model, "--processes", "2") as service:
        for _ in range(10):
            service.post("/predict", {"text": "good"})
        before = service.pids(2)
        model.rename(model.with_suffix(".away"))  # the copy is enough
        try:
            os.kill(min(before), signal.SIGKILL)
            assert wait_until(lambda: f"process {min(before)} ended with code -9" in service.log())
            after = service.pids(2)
        finally:
            model.with_suffix(".away").rename(model)
        assert max(before) in after
        assert min(before) not in after
        assert service.metrics()['textperceptron_requests_total{endpoint="predict",status="200"}'] == 10


@pytest.mark.slow
def test_a_process_that_hangs_is_replaced(model):
    with serving(model, "--processes", "2") as service:
        hung = min(service.pids(2))
        os.kill(hung, signal.SIGSTOP)
        assert wait_until(lambda: f"process {hung} has not shown a sign of life" in service.log(), 60)
        assert hung not in service.pids(2)


@pytest.mark.slow
def test_processes_end_when_their_parent_is_killed(model):
    with serving(model, "--processes", "2") as service:
        pids = service.pids(2)
        service.process.kill()
        service.process.wait()
        assert wait_until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in pids))


@pytest.mark.slow
def test_counters_are_sums_over_all_processes(model):
    with serving(model, "--processes", "2") as service:
        pids = service.pids(2)
        before = service.metrics()['textperceptron_requests_total{endpoint="health",status="200"}']
        seen = {service.get("/health/ready")[1]["process"] for _ in range(40)}
        assert seen == pids
        for _ in range(5):
            assert service.metrics()['textperceptron_requests_total{endpoint="health",status="200"}'] == before + 40
        assert service.metrics()["textperceptron_processes"] == 2


@pytest.mark.skipif(sys.platform != "linux", reason="/proc lists sockets on Linux only")
@pytest.mark.parametrize("processes", [1, 2])
def test_the_service_listens_at_loopback_only(model, processes):
    with serving(model, "--processes", processes) as service:
        lines = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
        lines += [line.split() for line in Path("/proc/net/tcp6").read_text().splitlines()[1:]]
        listening = [fields[1] for fields in lines if fields[3] == "0A" and int(fields[1][-4:], 16) == service.port]
        assert set(listening) == {f"0100007F:{service.port:04X}"}
        assert len(listening) == processes


def run(*words):
    done = subprocess.run([*COMMAND, "serve", *map(str, words)], capture_output=True, timeout=60, check=False)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


@pytest.mark.parametrize("processes", [1, 2])
def test_a_port_in_use_is_an_error(model, processes):
    with open_socket("127.0.0.1", 0, shared=True) as other:
        other.listen()
        port = other.getsockname()[1]
        code, out, error = run(model, "--port", port, "--processes", processes)
    assert (code, out) == (2, "")
    assert error == (
        f"textperceptron: 127.0.0.1, port {port}: another program uses it. Stop that program, or choose another "
        "--port; 0 takes a free one.\n"
    )


@pytest.mark.parametrize("host", ["192.0.2.1", "256.256.256.256"])
def test_an_address_of_another_machine_is_an_error(model, host):
    code, _, error = run(model, "--host", host)
    assert code == 2
    assert error.startswith(f"textperceptron: {host}: not an address of this machine (")
    assert error.endswith("Choose another --host, such as 127.0.0.1.\n")


def test_an_ipv6_address_is_printed_in_brackets(model):
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::1", 0))
    except OSError:
        pytest.skip("this machine has no IPv6")
    with subprocess.Popen(
        [*COMMAND, "serve", model, "--host", "::1", "--port", "0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        lines = [process.stdout.readline().decode() for _ in range(2)]
        process.terminate()
    assert lines[1].startswith("listening at http://[::1]:")
    assert process.returncode == 0


def test_a_damaged_file_is_an_error_at_the_start(model, tmp_path):
    damaged = tmp_path / "damaged.tpm"
    data = bytearray(model.read_bytes())
    data[-3] ^= 1  # in the weights: only the digest shows it
    damaged.write_bytes(data)
    code, out, error = run(damaged, "--port", "0")
    assert (code, out) == (2, "")
    assert error.startswith(f"textperceptron: {damaged}: the contents do not match the SHA-256 digest")
    assert error.count("\n") == 1


@pytest.mark.parametrize("package", ["starlette", "uvicorn", "httptools"])
def test_a_missing_extra_is_named(model, package):
    code = f"import sys; sys.modules['{package}'] = None; from textperceptron.cli import main; exit(main())"
    done = subprocess.run([*FRESH_PYTHON, code, "serve", model], capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stderr.decode()) == (
        2, f'textperceptron: serve needs {package}, which is not installed. Run: pip install "textperceptron[serve]"\n',
    )  # fmt: skip


def test_temporary_files_are_removed(model, tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    with serving(model, "--processes", "2"):
        assert [path.name.startswith("textperceptron-") for path in tmp_path.iterdir()] == [True]
    assert list(tmp_path.iterdir()) == []


def test_requests_are_logged_on_demand(model):
    with serving(model, "--access-log") as service:
        service.get("/health/live")
        assert '"GET /health/live HTTP/1.1" 200' in service.log()
