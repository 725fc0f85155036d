#!/usr/bin/env python3
# Usage: moody_node.py PORT FOLDER NAME
# Stands for a node: notes in FOLDER/NAME.requests each request that it takes; is not ready while FOLDER/NAME.unready is there;
# ends a connection without an answer at /die-always…, and at /die-once… unless FOLDER/died is there; a feed is a stream of its name.
import http.server
import os
import ssl
import sys
import time

port, folder, name = int(sys.argv[1]), sys.argv[2], sys.argv[3]


class Node(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path == "/readyz":
            return self.send(503 if os.path.exists(f"{folder}/{name}.unready") else 200)
        with open(f"{folder}/{name}.requests", "a") as file:
            file.write(f"{self.command} {self.path} {self.headers.get('X-Forwarded-For')}\n")
        if self.path.startswith("/die-always") or (self.path.startswith("/die-once") and first_time()):
            self.close_connection = True
        elif self.path == "/busy":
            self.send(503)
        elif self.path == "/api/v1/events":
            self.stream()
        else:
            self.send(200)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = answer

    def send(self, status):
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def stream(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        for _ in range(600):
            self.wfile.write(f"data: {name}\n\n".encode())
            time.sleep(0.1)

    def log_message(self, *_):
        pass


def first_time():
    try:
        os.close(os.open(f"{folder}/died", os.O_CREAT | os.O_EXCL))
        return True
    except FileExistsError:
        return False


class Server(http.server.ThreadingHTTPServer):
    def handle_error(self, *_):  # a caller that hung up is no error
        pass


context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(f"{folder}/certificate.pem", f"{folder}/key.pem")
open(f"{folder}/{name}.requests", "w").close()
server = Server(("127.0.0.1", port), Node)
server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
server.serve_forever()
