"""A receiver of webhooks that shares no code with the platform. The official library verifies each signature.

Reads a line of JSON for each endpoint from standard input, {"path", "secret"}, and answers with "ok". Writes a line of
JSON for each request: {"path", "id", "sequence", "entity", "status"}, or {"path", "fault"} for one that is not valid. It
exits when its standard input closes, because its parent has then ended. Before all this it writes a line with its port,
which the system has chosen, so that no other process can take it first.

Usage: receive.py FAILING
FAILING: the share of the events, from 0 to 1, whose first attempt gets a 500.
"""

import json
import os
import sys
import threading
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from standardwebhooks.webhooks import Webhook, WebhookVerificationError

failing = float(sys.argv[1])
webhooks: dict[str, Webhook] = {}
seen: set[str] = set()
lock = threading.Lock()


def tell(record: object) -> None:
    with lock:
        print(json.dumps(record), flush=True)


def answer(key: str) -> int:
    """Chooses the same events in every run of the platform, and fails each only once."""
    with lock:
        if key not in seen and zlib.crc32(key.encode()) % 10_000 < failing * 10_000:
            seen.add(key)
            return 500
    return 200


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", "0")))
        status = self.judge(body)
        self.send_response(status)
        self.send_header("content-length", "0")
        self.end_headers()

    def judge(self, body: bytes) -> int:
        webhook = webhooks.get(self.path)
        try:
            if webhook is None:
                raise WebhookVerificationError("no endpoint has this path")
            event = webhook.verify(body, dict(self.headers.items()))
            if event["id"] != self.headers["webhook-id"]:
                raise WebhookVerificationError("webhook-id is not the id of the event")
        except (WebhookVerificationError, ValueError, KeyError) as error:
            tell({"path": self.path, "fault": str(error)})
            return 401
        status = answer(f"{self.path} {event['id']}")
        entity = f"{event['entity']['type']} {event['entity']['id']}"
        tell({"path": self.path, "id": event["id"], "sequence": event["sequence"], "entity": entity, "status": status})
        return status

    def log_message(self, *_: object) -> None:
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 512

    def handle_error(self, *_: object) -> None:
        pass  # a sender that died in the middle


server = Server(("127.0.0.1", 0), Receiver)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(server.server_port, flush=True)
for line in sys.stdin:
    endpoint = json.loads(line)
    webhooks[endpoint["path"]] = Webhook(endpoint["secret"])
    print("ok", flush=True)
os._exit(0)
