<?php

declare(strict_types=1);

namespace Pixledger\Internal;

/** What several readers of bytes and texts have in common. */
final class Texts
{
    /** The largest integer that every language holds exactly. */
    public const SAFE_MAX = 2 ** 53 - 1;

    /** The bytes of canonical base64 (RFC 4648 section 4, padded); null for anything else. */
    public static function fromBase64(mixed $text): ?string
    {
        $bytes = is_string($text) ? base64_decode($text, true) : false;
        // PHP ignores white space and missing padding; only the canonical form of the bytes is accepted.
        return $bytes !== false && base64_encode($bytes) === $text ? $bytes : null;
    }

    /** ISO 8601 in UTC with milliseconds. */
    public static function isoTime(int $milliseconds): string
    {
        $seconds = (int) floor($milliseconds / 1000);
        return gmdate('Y-m-d\TH:i:s', $seconds) . sprintf('.%03dZ', $milliseconds - 1000 * $seconds);
    }
}
