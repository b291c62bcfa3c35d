"""The part that recorded doubles of HTTP services share: POSTs that have answers in JSON."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Recorded:
    """A double; `answer` gives the status and the answer to the path and the body of a POST.

    `headers` has those of all POSTs.
    """

    def __init__(self):
        self.headers = []
        double = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                double.headers.append(dict(self.headers))
                status, answer = double.answer(self.path, body)
                data = json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))
        self._thread.start()

    def close(self):
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
