"""Requests per second and latency of ``textperceptron serve`` on loopback, for the default recipe on IMDB.

python benchmarks/serve.py                tables of load, of neighbours, of threads
python benchmarks/serve.py --seconds 10   longer turns

Needs wrk (Debian's package of that name). wrk and the service share the processors. "CPU" is the processor time of the
service per request, which other programs hardly change.
"""

from __future__ import annotations

import argparse
import asyncio
import http.client
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path

from data import imdb_texts

from textperceptron import TextModel
from textperceptron.serve.predictions import predict_texts

REVIEW = "The plot was thin but the acting was superb and I would happily watch it"  # 15 words
HEADERS = {"Content-Type": "application/json"}
BODIES = {"one review": {"text": REVIEW}, "batch of 100": {"texts": [REVIEW] * 100}}


@contextmanager
def serving(path, processes=1):
    """Run the service; yield its port and the ids of its processes."""
    words = ["serve", str(path), "--port", "0", "--processes", str(processes), "--check-every", "0.2"]
    service = subprocess.Popen([sys.executable, "-m", "textperceptron", *words], stdout=subprocess.PIPE, text=True)
    try:
        port = None
        while port is None:
            found = re.search(r"listening at http://127\.0\.0\.1:(\d+),", service.stdout.readline())
            port = found and int(found[1])
        pids = set()
        while len(pids) < processes:
            pids.add(json.loads(send(port, "GET", "/health/ready"))["process"])
        yield port, pids
    finally:
        service.terminate()
        service.wait()


def send(port, method, path, body=None):
    with closing(http.client.HTTPConnection("127.0.0.1", port)) as connection:
        connection.request(method, path, body, HEADERS)
        return connection.getresponse().read()


def processor_seconds(pids):
    fields = [Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split() for pid in pids]
    return sum(int(each[11]) + int(each[12]) for each in fields) / os.sysconf("SC_CLK_TCK")


def load(port, pids, body, connections, seconds, folder):
    """Return requests per second, the median and the 99th percentile of latency, and processor time per request."""
    script = folder / "post.lua"
    script.write_text(
        f'wrk.method = "POST"\nwrk.headers["Content-Type"] = "application/json"\nwrk.body = {json.dumps(body)}\n'
        "function done(summary, latency)\n"
        '  io.write(string.format("found %d %d %d %d %d\\n", summary.requests, summary.duration,\n'
        "    latency:percentile(50), latency:percentile(99), summary.errors.status + summary.errors.read))\nend\n"
    )
    before = processor_seconds(pids)
    command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}", "-s", str(script), f"http://127.0.0.1:{port}/predict"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    n, took, median, last, errors = map(int, re.search(r"found (\d+) (\d+) (\d+) (\d+) (\d+)", printed).groups())
    assert errors == 0
    return 1e6 * n / took, median / 1000, last / 1000, 1e6 * (processor_seconds(pids) - before) / n


def latencies(port, seconds):
    """Return the latencies of single reviews on one connection, in milliseconds."""
    found, body, end = [], json.dumps({"text": REVIEW}), time.perf_counter() + seconds
    with closing(http.client.HTTPConnection("127.0.0.1", port)) as connection:
        while (start := time.perf_counter()) < end:
            connection.request("POST", "/predict", body, HEADERS)
            assert connection.getresponse().read()
            found.append(1000 * (time.perf_counter() - start))
    return found


@contextmanager
def repeated(work):
    """Call a function again and again on a thread during the block."""
    ended = threading.Event()

    def loop():
        while not ended.is_set():
            work()

    thread = threading.Thread(target=loop)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def show_neighbours(path, seconds, texts):
    """Print what a single review waits for beside large batches and reloads."""
    batch = json.dumps({"texts": texts})
    assert len(batch) < 1_000_000

    def reload():
        shutil.copyfile(path, path.with_suffix(".new"))
        os.replace(path.with_suffix(".new"), path)
        time.sleep(0.5)

    with serving(path) as (port, _):
        ways = {
            "nothing else": lambda: time.sleep(0.1),
            f"batches of {len(texts)} reviews ({len(batch) / 1e6:.1f} MB)": lambda: send(
                port, "POST", "/predict", batch
            ),
            "two reloads per second": reload,
        }
        for name, work in ways.items():
            with repeated(work):
                found = latencies(port, seconds)
            cuts = statistics.quantiles(found, n=100)
            print(f"{name:42}{cuts[49]:8.2f}{cuts[98]:8.2f}{max(found):8.2f}")


def show_threads(path, texts):
    """Print the time of a call on the event loop and through a thread, by the number of characters."""
    model = TextModel.load(path)
    whole = " ".join(texts)

    async def measure(n):
        work, loop = (lambda: predict_texts(model, [whole[:n]])), asyncio.get_running_loop()
        direct = threaded = float("inf")
        with ThreadPoolExecutor(1) as threads:
            for _ in range(200):
                start = time.perf_counter()
                work()
                middle = time.perf_counter()
                await loop.run_in_executor(threads, work)
                direct, threaded = min(direct, middle - start), min(threaded, time.perf_counter() - middle)
        return direct, threaded

    for n in (80, 1_000, 4_000, 16_000, 64_000):
        direct, threaded = asyncio.run(measure(n))
        print(f"{n:>10,}{1000 * direct:12.3f}{1000 * threaded:12.3f}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=int, default=5, help="per measurement")
    parser.add_argument("--model", type=Path, help="a model file, instead of training on IMDB")
    given = parser.parse_args()
    if shutil.which("wrk") is None:
        sys.exit("wrk is not installed: apt-get install wrk")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = folder / "imdb.tpm"
        if given.model is None:
            TextModel.train(*imdb_texts("train"), n_jobs=2).save(path)
        else:
            shutil.copyfile(given.model, path)
        print("processes  body          connections  requests/s  texts/s  median ms  p99 ms  CPU µs")
        for processes in (1, 2):
            with serving(path, processes) as (port, pids):
                for body, value in BODIES.items():
                    for connections in (1, 16, 64):
                        rate, *rest = load(port, pids, json.dumps(value), connections, given.seconds, folder)
                        n_texts = rate * len(value.get("texts", [1]))
                        median, last, cpu = rest
                        print(
                            f"{processes:9}  {body:12}{connections:13}{rate:12,.0f}{n_texts:9,.0f}{median:11.2f}"
                            f"{last:8.2f}{cpu:8.0f}",
                            flush=True,
                        )
        texts = imdb_texts("test")[0][:700]
        print(f"\n{'one review, beside':42}  median     p99     max (ms)")
        show_neighbours(path, given.seconds, texts)
        print("\ncharacters   direct ms   thread ms")
        show_threads(path, texts)


if __name__ == "__main__":
    main()
