'use strict';

// Reads FlatBuffers (https://flatbuffers.dev, "Internals") that may be hostile: throws on places outside of the bytes
// or misaligned for their size. Supports only what stored events of charges need.

class UnreadableBytes extends Error {}

const unreadable = (what) => {
  throw new UnreadableBytes(what);
};

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

class FlatTable {
  #bytes;
  #view;
  #start;
  #vtable;
  #vtableBytes;

  // The root table of `bytes`, a Uint8Array, or the one that begins at `start`. Browsers read with it, too.
  constructor(bytes, start) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#start = start ?? this.#need(0, 4, 4).getUint32(0, true);
    this.#vtable = this.#start - this.#need(this.#start, 4, 4).getInt32(this.#start, true);
    this.#vtableBytes = this.#need(this.#vtable, 2, 2).getUint16(this.#vtable, true);
    if (this.#vtableBytes % 2 !== 0) unreadable('vtable');
    this.#need(this.#vtable, this.#vtableBytes);
  }

  has(field) {
    return this.#place(field, 1) !== undefined;
  }
  // Absent numbers are 0, or null if the schema says so (`absent`).
  uint8(field) {
    const at = this.#place(field, 1);
    return at === undefined ? 0 : this.#view.getUint8(at);
  }
  uint16(field) {
    const at = this.#place(field, 2);
    return at === undefined ? 0 : this.#view.getUint16(at, true);
  }
  uint32(field) {
    const at = this.#place(field, 4);
    return at === undefined ? 0 : this.#view.getUint32(at, true);
  }
  // As a number: rejects values that JavaScript cannot hold exactly.
  int64(field, absent = 0) {
    const at = this.#place(field, 8);
    if (at === undefined) return absent;
    const value = Number(this.#view.getBigInt64(at, true));
    return Number.isSafeInteger(value) ? value : unreadable('int64');
  }
  // undefined when absent.
  vector(field) {
    const at = this.#place(field, 4);
    if (at === undefined) return undefined;
    const start = at + this.#view.getUint32(at, true);
    const length = this.#need(start, 4, 4).getUint32(start, true);
    this.#need(start + 4, length);
    return this.#bytes.subarray(start + 4, start + 4 + length);
  }
  text(field) {
    const bytes = this.vector(field);
    if (bytes === undefined) return undefined;
    const end = bytes.byteOffset - this.#bytes.byteOffset + bytes.length;
    if (this.#need(end, 1).getUint8(end) !== 0) unreadable('text');
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
    const start = at + this.#view.getUint32(at, true);
    const count = this.#need(start, 4, 4).getUint32(start, true);
    this.#need(start + 4, 4 * count);
    return Array.from({ length: count }, (_, index) => {
      const place = start + 4 + 4 * index;
      return new FlatTable(this.#bytes, place + this.#view.getUint32(place, true));
    });
  }

  #need(start, length, alignment = 1) {
    if (start < 0 || start + length > this.#bytes.length || start % alignment !== 0) unreadable('offset');
    return this.#view;
  }
  #place(field, length) {
    const entry = 4 + 2 * field;
    if (entry >= this.#vtableBytes) return undefined;
    const offset = this.#view.getUint16(this.#vtable + entry, true);
    if (offset === 0) return undefined;
    this.#need(this.#start + offset, length, length);
    return this.#start + offset;
  }
}

module.exports = { FlatTable, UnreadableBytes, unreadable };
