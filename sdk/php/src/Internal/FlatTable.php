<?php

declare(strict_types=1);

namespace Pixledger\Internal;

/**
 * Reads FlatBuffers (https://flatbuffers.dev, "Internals") that may be hostile: throws UnreadableBytes on places
 * outside of the bytes or misaligned for their size. Supports only what stored events of charges need.
 */
final class FlatTable
{
    private readonly int $start;
    private readonly int $vtable;
    private readonly int $vtableBytes;

    /** The root table of `bytes`, or the one that begins at `start`. */
    public function __construct(private readonly string $bytes, ?int $start = null)
    {
        $this->start = $start ?? $this->number('V', 0, 4);
        $offset = $this->number('V', $this->start, 4);
        $this->vtable = $this->start - ($offset >= 2 ** 31 ? $offset - 2 ** 32 : $offset);
        $this->vtableBytes = $this->number('v', $this->vtable, 2);
        if ($this->vtableBytes % 2 !== 0) {
            throw new UnreadableBytes('vtable');
        }
        $this->need($this->vtable, $this->vtableBytes);
    }

    public function has(int $field): bool
    {
        return $this->place($field, 1) !== null;
    }

    // Absent numbers are 0.
    public function uint8(int $field): int
    {
        $at = $this->place($field, 1);
        return $at === null ? 0 : ord($this->bytes[$at]);
    }

    public function uint16(int $field): int
    {
        $at = $this->place($field, 2);
        return $at === null ? 0 : $this->number('v', $at, 2);
    }

    public function uint32(int $field): int
    {
        $at = $this->place($field, 4);
        return $at === null ? 0 : $this->number('V', $at, 4);
    }

    // Rejects values that not every language holds exactly.
    public function int64(int $field): int
    {
        return $this->int64OrNull($field) ?? 0;
    }

    public function int64OrNull(int $field): ?int
    {
        $at = $this->place($field, 8);
        if ($at === null) {
            return null;
        }
        $value = $this->number('P', $at, 8);
        return $value <= Texts::SAFE_MAX && $value >= -Texts::SAFE_MAX ? $value : throw new UnreadableBytes('int64');
    }

    public function vector(int $field): ?string
    {
        $start = $this->offset($field);
        if ($start === null) {
            return null;
        }
        $length = $this->number('V', $start, 4);
        $this->need($start + 4, $length);
        return substr($this->bytes, $start + 4, $length);
    }

    public function text(int $field): ?string
    {
        $start = $this->offset($field);
        $text = $this->vector($field);
        if ($start === null || $text === null) {
            return null;
        }
        $this->need($start + 4 + strlen($text), 1);
        $isText = $this->bytes[$start + 4 + strlen($text)] === "\0" && preg_match('//u', $text) === 1;
        return $isText ? $text : throw new UnreadableBytes('text');
    }

    /** @return list<FlatTable>|null */
    public function tables(int $field): ?array
    {
        $start = $this->offset($field);
        if ($start === null) {
            return null;
        }
        $count = $this->number('V', $start, 4);
        $this->need($start + 4, 4 * $count);
        $tables = [];
        for ($place = $start + 4; count($tables) < $count; $place += 4) {
            $tables[] = new self($this->bytes, $place + $this->number('V', $place, 4));
        }
        return $tables;
    }

    // Where the vector of a field is.
    private function offset(int $field): ?int
    {
        $at = $this->place($field, 4);
        return $at === null ? null : $at + $this->number('V', $at, 4);
    }

    private function place(int $field, int $length): ?int
    {
        $entry = 4 + 2 * $field;
        if ($entry >= $this->vtableBytes) {
            return null;
        }
        $offset = $this->number('v', $this->vtable + $entry, 2);
        if ($offset === 0) {
            return null;
        }
        $this->need($this->start + $offset, $length, $length);
        return $this->start + $offset;
    }

    private function number(string $format, int $start, int $length): int
    {
        $this->need($start, $length, $length);
        $unpacked = unpack($format, $this->bytes, $start);
        return $unpacked === false ? throw new UnreadableBytes('number') : $unpacked[1];
    }

    private function need(int $start, int $length, int $alignment = 1): void
    {
        if ($start < 0 || $start + $length > strlen($this->bytes) || $start % $alignment !== 0) {
            throw new UnreadableBytes('offset');
        }
    }
}
