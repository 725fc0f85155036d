"""A mail server for tests: aiosmtpd with a test's settings.

Writes its port to --port-file, then each message that it accepts to --mails as NNNN.eml, whole, before it
answers. --log gets a line per event: connect, tls, auth USER, mail, accepted NNNN.
"""

import argparse
import asyncio
import os
import pathlib
import socket
import ssl

from aiosmtpd.smtp import SMTP, AuthResult, LoginPassword

parser = argparse.ArgumentParser()
parser.add_argument("--port-file", required=True)
parser.add_argument("--mails", required=True, type=pathlib.Path)
parser.add_argument("--log", required=True)
parser.add_argument("--port", type=int, default=0)
parser.add_argument("--cert")
parser.add_argument("--key")
parser.add_argument("--implicit-tls", action="store_true")
parser.add_argument("--user")
parser.add_argument("--password")
parser.add_argument("--mechanism", default="PLAIN", choices=["PLAIN", "LOGIN"])
parser.add_argument("--refuse", default="", help="recipient that is answered with --refuse-code")
parser.add_argument("--refuse-code", default="550 5.1.1")
parser.add_argument("--busy", type=int, default=0, help="so many messages get 451 first")
parser.add_argument("--die-at", type=int, default=0, help="ends without an answer at this message's end")
parser.add_argument("--keep-what-kills", action="store_true", help="that message is accepted all the same")
parser.add_argument("--hang", action="store_true", help="never answers the message")
parser.add_argument("--inject", action="store_true", help="see injecting_server")
options = parser.parse_args()

options.mails.mkdir(exist_ok=True)
log_file = open(options.log, "a", buffering=1)


def log(line):
    log_file.write(line + "\n")


def keep(content):
    number = len(list(options.mails.glob("*.eml"))) + 1
    file = options.mails / f"{number:04}.eml"
    unfinished = file.with_suffix(".new")
    unfinished.write_bytes(content)
    unfinished.rename(file)
    log(f"accepted {file.stem}")


class Handler:
    busy = options.busy
    messages = 0

    def handle_STARTTLS(self, server, session, envelope):
        log("tls")
        return True

    async def handle_MAIL(self, server, session, envelope, address, mail_options):
        log("mail")
        envelope.mail_from = address
        return "250 OK"

    async def handle_RCPT(self, server, session, envelope, address, rcpt_options):
        if address == options.refuse:
            return f"{options.refuse_code} <{address}> is not taken"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        Handler.messages += 1
        if Handler.messages == options.die_at:
            if options.keep_what_kills:
                keep(envelope.original_content)
            os._exit(1)
        if options.hang:
            await asyncio.sleep(3600)
        if Handler.busy > 0:
            Handler.busy -= 1
            return "451 4.3.0 come back later"
        keep(envelope.original_content)
        return "250 OK"


def authenticate(server, session, envelope, mechanism, data):
    right = (
        isinstance(data, LoginPassword)
        and data.login == options.user.encode()
        and data.password == options.password.encode()
    )
    log(f"auth {options.user}" if right else "auth refused")
    return AuthResult(success=right, handled=False)


class Server(SMTP):
    def connection_made(self, transport):
        log("connect")
        super().connection_made(transport)


def tell_port(port):
    unfinished = options.port_file + ".new"
    with open(unfinished, "w") as file:
        file.write(f"{port}\n")
    os.rename(unfinished, options.port_file)


def injecting_server(context):
    """Sends, in plain text right after the reply to STARTTLS, a reply to the EHLO that comes encrypted."""
    listener = socket.create_server(("127.0.0.1", 0))
    tell_port(listener.getsockname()[1])
    while True:
        connection, _ = listener.accept()
        connection.sendall(b"220 mail.example\r\n")
        connection.recv(1024)
        connection.sendall(b"250-mail.example\r\n250 STARTTLS\r\n")
        connection.recv(1024)
        connection.sendall(b"220 go ahead\r\n250-injected\r\n250 AUTH PLAIN\r\n")
        try:
            encrypted = context.wrap_socket(connection, server_side=True)
            encrypted.recv(1024)
            encrypted.sendall(b"250 mail.example\r\n")
            if encrypted.recv(1024).startswith(b"AUTH"):
                log("auth refused")
        except OSError:
            log("broken off")
        connection.close()


settings = {}
context = None
if options.cert:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(options.cert, options.key)
if context and not options.implicit_tls:
    settings.update(tls_context=context, require_starttls=True)
if options.user:
    settings.update(
        authenticator=authenticate,
        auth_required=True,
        auth_require_tls=not options.implicit_tls,
        auth_exclude_mechanism=["LOGIN" if options.mechanism == "PLAIN" else "PLAIN"],
    )


async def serve():
    server = await asyncio.get_running_loop().create_server(
        lambda: Server(Handler(), hostname="mail.example", **settings),
        "127.0.0.1",
        options.port,
        ssl=context if options.implicit_tls else None,
    )
    tell_port(server.sockets[0].getsockname()[1])
    await server.serve_forever()


if options.inject:
    injecting_server(context)
asyncio.run(serve())
