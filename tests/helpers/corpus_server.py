"""A local web server: with or without ranges, with broken connections, and with redirects."""

from __future__ import annotations

import contextlib
import hashlib
import http.server
import re
import ssl
import subprocess
import threading


class CorpusServer(http.server.ThreadingHTTPServer):
    """Serves ``files`` by name; a str instead of bytes is an address to redirect to.

    ``breaks`` are numbers of body bytes after which the next connections are closed. ``lengths=False`` omits
    Content-Length. ``reason`` is the reason phrase of errors. ``certificate`` makes it an https server, ``encoding`` is
    the Content-Encoding of bodies.
    """

    def __init__(
        self, files, *, ranges=True, tags=True, breaks=(), lengths=True, certificate=None, reason=None, encoding=None
    ):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.files, self.ranges, self.tags, self.breaks = files, ranges, tags, list(breaks)
        self.lengths, self.reason, self.encoding = lengths, reason, encoding
        self.requests = []  # (path, Range or None, bytes sent)
        self.scheme = "http" if certificate is None else "https"
        if certificate is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            self.socket = context.wrap_socket(self.socket, server_side=True)

    def url(self, name):
        return f"{self.scheme}://127.0.0.1:{self.server_port}/{name}"

    def handle_error(self, request, client_address):
        pass  # the client has closed the connection


def make_certificate(path):
    """Write a certificate for 127.0.0.1, signed by itself, and its key."""
    subject = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]
    kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
    command = ["openssl", "req", "-x509", *kind, *subject, "-keyout", path, "-out", f"{path}.certificate"]
    subprocess.run(command, capture_output=True, check=True)
    with open(path, "ab") as both, open(f"{path}.certificate", "rb") as certificate:
        both.write(certificate.read())
    return path


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        raw = self.server.files.get(self.path[1:])
        if raw is None:
            self.send_error(404, self.server.reason)
            return
        if isinstance(raw, str):
            self.send_response(302)
            self.send_header("Location", raw)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        tag = f'"{hashlib.sha256(raw).hexdigest()[:16]}"'
        asked = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", "")) if self.server.ranges else None
        if asked and self.headers.get("If-Range", tag) != tag:
            asked = None
        begin = int(asked[1]) if asked else 0
        if asked and begin >= len(raw):
            self.send_response(416)
            self.send_header("Content-Range", f"bytes */{len(raw)}")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        self.send_response(206 if asked else 200)
        if asked:
            self.send_header("Content-Range", f"bytes {begin}-{len(raw) - 1}/{len(raw)}")
        if self.server.tags:
            self.send_header("ETag", tag)
        if self.server.encoding:
            self.send_header("Content-Encoding", self.server.encoding)
        if self.server.lengths:
            self.send_header("Content-Length", str(len(raw) - begin))
        self.end_headers()
        body = raw[begin:]
        cut = self.server.breaks.pop(0) if self.server.breaks else len(body)
        self.server.requests.append((self.path[1:], self.headers.get("Range"), len(body[:cut])))
        self.wfile.write(body[:cut])
        self.close_connection = True

    def log_message(self, *arguments):
        pass


@contextlib.contextmanager
def serving(files, **options):
    with CorpusServer(files, **options) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)  # half a second by default
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
