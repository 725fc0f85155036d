#!/usr/bin/env python3
"""Usage: audit.py KEY FILE [OLDER [PROOF]]

Checks a receipt or a checkpoint of a ledger without the ledger and without any of its programs: written from
docs/reference/event-format.md and events.md alone, with Python's standard library, and OpenSSL for the signature.

KEY     what `pixledger checkpoint --public-key` printed, or a file with it
FILE    a receipt, a checkpoint, or an answer of the API with one
OLDER   an older one of either: FILE must continue it
PROOF   what the API answered to /api/v1/ledger/consistency?from=M&to=N for their sizes

Exit code 0: it holds, and the facts are printed as JSON. 1: it does not. 2: called wrongly.
"""
import base64
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # nothing is left beside this file
from audit_events import Refused, demand, event_of, status_after


def sha256(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


def from_base64(text):
    demand(isinstance(text, str), "what should be base64 is no text")
    try:
        return base64.b64decode(text, validate=True)
    except ValueError:
        raise Refused("what should be base64 is not") from None


# --- signed notes ---


class PublicKey:
    def __init__(self, line):
        name, key_id, encoded = line.strip().split("+", 2)
        raw = base64.b64decode(encoded, validate=True)
        if len(raw) != 33 or raw[0] != 1:
            raise ValueError("not Ed25519")
        self.name, self.bytes = name, raw[1:]
        if self.key_id(name).hex() != key_id:
            raise ValueError("the key's id is not that of the key")

    def key_id(self, name):
        return sha256(name.encode(), b"\n\x01", self.bytes)[:4]

    def has_signed(self, message, signature):
        info = bytes.fromhex("302a300506032b6570032100") + self.bytes  # RFC 8410
        with tempfile.TemporaryDirectory() as folder:
            paths = [os.path.join(folder, name) for name in ("key", "message", "signature")]
            for path, content in zip(paths, (info, message, signature)):
                with open(path, "wb") as file:
                    file.write(content)
            command = ["openssl", "pkeyutl", "-verify", "-pubin", "-keyform", "DER", "-rawin"]
            command += ["-inkey", paths[0], "-in", paths[1], "-sigfile", paths[2]]
            return subprocess.run(command, capture_output=True, check=False).returncode == 0


class Checkpoint:
    """`stream` is (name, number of events), None where it states that of none; `is_old` has no such line."""

    def __init__(self, note, key, any_epoch=False):
        is_note = isinstance(note, str) and note.endswith("\n") and "\n\n" in note
        demand(is_note, "the checkpoint is no signed note")
        text, signatures = note[: note.rindex("\n\n") + 1], note[note.rindex("\n\n") + 2 :]
        lines = text[:-1].split("\n")
        demand(len(lines) >= 3 and all(lines), "the checkpoint has too few lines, or an empty one")
        self.origin = lines[0]
        is_of_ledger = self.origin.rsplit("/", 1)[0] == key.name.rsplit("/", 1)[0]
        is_expected = is_of_ledger if any_epoch else self.origin == key.name
        demand(is_expected, "the checkpoint is another ledger's than the key")
        form = r"pixledger/[0-9a-f]{32}/[1-9][0-9]*"
        demand(re.fullmatch(form, self.origin), "the checkpoint names no ledger")
        self.ledger, self.epoch = self.origin.split("/")[1], int(self.origin.split("/")[2])
        demand(re.fullmatch("0|[1-9][0-9]*", lines[1]), "the checkpoint's size is no number")
        self.size, self.root = int(lines[1]), from_base64(lines[2])
        demand(len(self.root) == 32, "the checkpoint's root is no hash")
        self.read_streams([line for line in lines[3:] if line.startswith("stream ")])
        demand(self.is_signed(text.encode(), signatures, key), "the checkpoint is not signed by that key")

    def read_streams(self, lines):
        demand(len(lines) <= 1, "the checkpoint states two streams")
        self.is_old, self.stream = not lines, None
        if lines and lines[0] != "stream - 0":
            stated = re.fullmatch(r"stream ([a-z]+-\S+) ([1-9][0-9]*)", lines[0])
            demand(stated, "the checkpoint's line about streams has another form")
            self.stream = (stated[1], int(stated[2]))

    def is_signed(self, message, signatures, key):
        is_signed = False
        for line in signatures[:-1].split("\n"):
            demand(line.startswith("\u2014 "), "the checkpoint has a line that is no signature")
            name, _, encoded = line[2:].rpartition(" ")
            if name != self.origin:
                continue
            signature = from_base64(encoded)
            if signature[:4] == key.key_id(name):
                demand(key.has_signed(message, signature[4:]), "the checkpoint's signature is wrong")
                is_signed = True
        return is_signed


# --- the Merkle tree ---


def node(left, right):
    return sha256(b"\x01", left, right)


def hashes_of(texts):
    demand(isinstance(texts, list) and len(texts) <= 128, "a proof is no list of hashes")
    hashes = [from_base64(text) for text in texts]
    demand(all(len(each) == 32 for each in hashes), "a proof has what is no hash")
    return hashes


def is_included(leaf, index, size, proof, root):
    """RFC 9162, 2.1.3.2."""
    if not 0 <= index < size:
        return False
    fn, sn, r = index, size - 1, sha256(b"\x00", leaf)
    for p in proof:
        if sn == 0:
            return False
        if fn & 1 or fn == sn:
            r = node(p, r)
            while not fn & 1 and fn:
                fn, sn = fn >> 1, sn >> 1
        else:
            r = node(r, p)
        fn, sn = fn >> 1, sn >> 1
    return sn == 0 and r == root


def is_consistent(first, first_root, second, second_root, proof):
    """RFC 9162, 2.1.4.2."""
    if first == second:
        return not proof and first_root == second_root
    if first == 0:
        return not proof
    if not proof:
        return False
    path = ([first_root] if first & (first - 1) == 0 else []) + proof
    fn, sn = first - 1, second - 1
    while fn & 1:
        fn, sn = fn >> 1, sn >> 1
    fr = sr = path[0]
    for c in path[1:]:
        if sn == 0:
            return False
        if fn & 1 or fn == sn:
            fr, sr = node(c, fr), node(c, sr)
            while not fn & 1 and fn:
                fn, sn = fn >> 1, sn >> 1
        else:
            sr = node(sr, c)
        fn, sn = fn >> 1, sn >> 1
    return sn == 0 and fr == first_root and sr == second_root


# --- files ---


def only(value, *names):
    is_it = isinstance(value, dict) and set(value) == set(names)
    demand(is_it, f"it has other fields than {', '.join(names)}")
    return [value[name] for name in names]


def without_doubles(pairs):
    demand(len(dict(pairs)) == len(pairs), "an object has a name twice")
    return dict(pairs)


def read_json(text):
    try:
        value = json.loads(text, object_pairs_hook=without_doubles)
    except ValueError:
        raise Refused("it is not JSON") from None
    if isinstance(value, dict) and "data" in value:
        success, value = only(value, "success", "data")
        demand(success is True, "the answer is no success")
    return value


class State:
    """Of a ledger, as of a checkpoint; a receipt's has a charge with its events."""

    def __init__(self, note, key, any_epoch, charge=None, given=()):
        self.checkpoint, self.charge = Checkpoint(note, key, any_epoch), charge
        self.leaves, self.events, self.without_personal = [], [], 0
        if charge is None:
            return
        demand(isinstance(given, list) and given, "it has no events")
        for each in given:
            self.add(*only(each, "position", "leaf", "personal", "proof", "event"))
        if not self.checkpoint.is_old:
            stated = (f"charge-{charge}", len(self.events))
            is_stated = self.checkpoint.stream == stated
            demand(is_stated, "its checkpoint was not signed for a receipt of so many events")

    def add(self, position, leaf, personal, proof, shown):
        demand(type(position) is int, "a position is no number")
        leaf, personal = from_base64(leaf), None if personal is None else from_base64(personal)
        where = f"the event at position {position}"
        tree = self.checkpoint
        is_there = is_included(leaf, position - 1, tree.size, hashes_of(proof), tree.root)
        demand(is_there, f"{where} is not what the ledger has there")
        is_recorded = personal is None or (personal and sha256(personal) == leaf[-32:])
        demand(is_recorded, f"{where} had other personal data")
        self.without_personal += personal is None and leaf[-32:] != sha256()
        event = event_of(position, leaf[:-32], personal)
        is_first = not self.events
        demand(event["stream"] == f"charge-{self.charge}", f"{where} is of another stream")
        demand(event["version"] == len(self.events) + 1, f"{where} is not the next of its charge")
        demand((event["type"] == "ChargeCreated") == is_first, f"{where} cannot be there")
        is_behind = is_first or position > self.events[-1]["position"]
        demand(is_behind, f"{where} is before the one in front of it")
        is_own = not is_first or event["data"]["transactionId"] == self.charge
        demand(is_own, f"{where} is of another charge")
        # Compared as text, since 1 is True, and 1.0, to Python.
        said, shown = (json.dumps(each, sort_keys=True) for each in (event, shown))
        demand(said == shown, f"{where} is shown otherwise")
        self.leaves.append((position, leaf))
        self.events.append(event)

    def facts(self):
        signed = self.checkpoint
        of_ledger = {"origin": signed.origin, "size": signed.size, "rootHash": signed.root.hex()}
        if not self.charge:
            return of_ledger
        return {
            "transactionId": self.charge,
            "status": status_after(self.events),
            "events": len(self.events),
            "streamLength": signed.stream and signed.stream[1],
            "withoutPersonalData": self.without_personal,
            **of_ledger,
        }


def read_state(path, key, any_epoch=False):
    with open(path, "rb") as file:
        try:
            text = file.read().decode()
        except UnicodeDecodeError:
            raise Refused("it is no text") from None
    if text.startswith("pixledger/"):
        return State(text, key, any_epoch)
    value = read_json(text)
    if not isinstance(value, dict) or "rootHash" not in value:
        charge, note, events = only(value, "transactionId", "checkpoint", "events")
        demand(isinstance(charge, str), "transactionId is no text")
        return State(note, key, any_epoch, charge, events)
    shown = only(value, "origin", "size", "rootHash", "checkpoint")
    state = State(shown.pop(), key, any_epoch)
    demand(json.dumps(shown) == json.dumps(list(state.facts().values())), "it shows what is not signed")
    return state


def check_continuation(older, newer, proof_file):
    old, new = older.checkpoint, newer.checkpoint
    is_later = old.ledger == new.ledger and old.epoch <= new.epoch
    demand(is_later, "it is not of the same ledger, or of an earlier epoch")
    proof = []
    if proof_file:
        with open(proof_file, encoding="utf-8") as file:
            start, end, texts, _ = only(read_json(file.read()), "from", "to", "proof", "checkpoint")
        demand([start, end] == [old.size, new.size], "the proof of consistency is for other sizes")
        proof = hashes_of(texts)
    demand(old.size <= new.size and is_consistent(old.size, old.root, new.size, new.root, proof),
           "it does not continue the older one")
    if older.charge and older.charge == newer.charge:
        has_all = newer.leaves[: len(older.leaves)] == older.leaves
        demand(has_all, "it does not have all events of the older one")


def main(arguments):
    try:
        given, file, older_file, proof_file = (arguments + [None, None])[:4]
        if os.path.exists(given):
            with open(given, encoding="utf-8") as opened:
                given = opened.readline()
        key = PublicKey(given)
    except (OSError, ValueError):
        print(__doc__, file=sys.stderr)
        return 2
    try:
        state = read_state(file, key)
        facts = state.facts()
        if older_file:
            older = read_state(older_file, key, any_epoch=True)
            check_continuation(older, state, proof_file)
            facts["continues"] = older.checkpoint.size
        print(json.dumps(facts))
        return 0
    except (Refused, IndexError, OverflowError, TypeError, RecursionError) as refused:
        print(f"refused: {refused}")
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
