'use strict';

// Reads FlatBuffers (https://flatbuffers.dev, "Internals") that may be hostile: what lies outside of the bytes, or
// where its size does not let it lie, throws. Only what stored events of charges need.

class UnreadableBytes extends Error {}

const unreadable = (what) => {
  throw new UnreadableBytes(what);
};

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

class FlatTable {
  #bytes;
  #start;
  #vtable;
  #vtableBytes;

  // The root table of `bytes`, a Buffer, or the one that begins at `start`.
  constructor(bytes, start) {
    this.#bytes = bytes;
    this.#start = start ?? this.#need(0, 4, 4).readUInt32LE(0);
    this.#vtable = this.#start - this.#need(this.#start, 4, 4).readInt32LE(this.#start);
    this.#vtableBytes = this.#need(this.#vtable, 2, 2).readUInt16LE(this.#vtable);
    if (this.#vtableBytes % 2 !== 0) unreadable('vtable');
    this.#need(this.#vtable, this.#vtableBytes);
  }

  has(field) {
    return this.#place(field, 1) !== undefined;
  }
  // Numbers that are absent are 0, or null where the schema says so (`absent`).
  uint8(field) {
    const at = this.#place(field, 1);
    return at === undefined ? 0 : this.#bytes.readUInt8(at);
  }
  uint16(field) {
    const at = this.#place(field, 2);
    return at === undefined ? 0 : this.#bytes.readUInt16LE(at);
  }
  uint32(field) {
    const at = this.#place(field, 4);
    return at === undefined ? 0 : this.#bytes.readUInt32LE(at);
  }
  // As a number: what JavaScript cannot hold exactly is refused.
  int64(field, absent = 0) {
    const at = this.#place(field, 8);
    if (at === undefined) return absent;
    const value = Number(this.#bytes.readBigInt64LE(at));
    return Number.isSafeInteger(value) ? value : unreadable('int64');
  }
  // undefined when absent.
  vector(field) {
    const at = this.#place(field, 4);
    if (at === undefined) return undefined;
    const start = at + this.#bytes.readUInt32LE(at);
    const length = this.#need(start, 4, 4).readUInt32LE(start);
    return this.#need(start + 4, length).subarray(start + 4, start + 4 + length);
  }
  text(field) {
    const bytes = this.vector(field);
    if (bytes === undefined) return undefined;
    const end = bytes.byteOffset - this.#bytes.byteOffset + bytes.length;
    if (this.#need(end, 1)[end] !== 0) unreadable('text');
    try {
      return utf8.decode(bytes);
    } catch {
      return unreadable('text');
    }
  }

  // A vector of tables; undefined when absent.
  tables(field) {
    const at = this.#place(field, 4);
    if (at === undefined) return undefined;
    const start = at + this.#bytes.readUInt32LE(at);
    const count = this.#need(start, 4, 4).readUInt32LE(start);
    this.#need(start + 4, 4 * count);
    return Array.from({ length: count }, (_, index) => {
      const place = start + 4 + 4 * index;
      return new FlatTable(this.#bytes, place + this.#bytes.readUInt32LE(place));
    });
  }

  #need(start, length, alignment = 1) {
    if (start < 0 || start + length > this.#bytes.length || start % alignment !== 0) unreadable('offset');
    return this.#bytes;
  }
  #place(field, length) {
    const entry = 4 + 2 * field;
    if (entry >= this.#vtableBytes) return undefined;
    const offset = this.#bytes.readUInt16LE(this.#vtable + entry);
    if (offset === 0) return undefined;
    this.#need(this.#start + offset, length, length);
    return this.#start + offset;
  }
}

module.exports = { FlatTable, UnreadableBytes, unreadable };
