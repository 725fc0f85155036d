"""Reads e-mails as a mail program would, and prints each as a line of JSON."""

import email
import email.header
import email.policy
import email.utils
import json
import sys


def display_name(raw, header):
    """The newer parser puts spaces between the encoded words of a name (python/cpython#92081)."""
    name, _ = email.utils.parseaddr(email.message_from_bytes(raw)[header])
    return str(email.header.make_header(email.header.decode_header(name)))


for path in sys.argv[1:]:
    with open(path, "rb") as file:
        raw = file.read()
    message = email.message_from_bytes(raw, policy=email.policy.default)
    parts = list(message.walk())
    print(
        json.dumps(
            {
                "subject": str(message["subject"]),
                "fromName": display_name(raw, "from"),
                "from": message["from"].addresses[0].addr_spec,
                "toName": display_name(raw, "to"),
                "to": ",".join(a.addr_spec for a in message["to"].addresses),
                "date": message["date"].datetime.isoformat(),
                "messageId": str(message["message-id"]),
                "headers": ",".join(name.lower() for name in message.keys()),
                "type": message.get_content_type(),
                "types": ",".join(p.get_content_type() for p in parts[1:]),
                "text": message.get_body(("plain",)).get_content(),
                "html": message.get_body(("html",)).get_content(),
                "defects": len([d for p in parts for d in p.defects])
                + len([d for v in message.values() for d in v.defects]),
                "longestLine": max(len(line) for line in raw.split(b"\r\n")),
                "bareLineFeeds": raw.replace(b"\r\n", b"").count(b"\n"),
                "ascii": raw.isascii(),
            }
        )
    )
