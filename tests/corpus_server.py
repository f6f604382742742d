"""A web server on this machine: with or without ranges, and with connections that break off."""

from __future__ import annotations

import contextlib
import hashlib
import http.server
import re
import threading


class CorpusServer(http.server.ThreadingHTTPServer):
    """Serves ``files`` by name. ``breaks`` are numbers of body bytes after which the next connections are cut."""

    def __init__(self, files, *, ranges=True, tags=True, breaks=()):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.files, self.ranges, self.tags, self.breaks = files, ranges, tags, list(breaks)
        self.requests = []  # (path, Range or None, bytes sent)

    def url(self, name):
        return f"http://127.0.0.1:{self.server_port}/{name}"


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        raw = self.server.files.get(self.path[1:])
        if raw is None:
            self.send_error(404)
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
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
