"""Usage: hold-connections.py PORT COUNT

Opens so many connections to 127.0.0.1, has one answer on each (GET /healthz), prints "ready" and holds them, without a
word, until stdin ends. Then prints how many the server has left open.
"""
import resource
import socket
import sys

PORT, COUNT = int(sys.argv[1]), int(sys.argv[2])
REQUEST = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
OF_AN_ADDRESS = 500  # each of 127.2.0.0/16


def open_one(number):
    address = number // OF_AN_ADDRESS
    connection = socket.create_connection(("127.0.0.1", PORT), timeout=30,
                                          source_address=(f"127.2.{address // 250}.{address % 250 + 1}", 0))
    connection.sendall(REQUEST)
    status = connection.recv(4096)[9:12]
    if status != b"200":
        sys.exit(f"connection {number} was answered {status.decode()}")
    connection.setblocking(False)
    return connection


def is_open(connection):
    try:
        return connection.recv(1) != b""
    except BlockingIOError:
        return True
    except OSError:
        return False


_, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
connections = [open_one(number) for number in range(COUNT)]
print("ready", flush=True)
sys.stdin.read()
print(sum(map(is_open, connections)), flush=True)
