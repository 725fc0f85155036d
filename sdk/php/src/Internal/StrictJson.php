<?php

declare(strict_types=1);

namespace Pixledger\Internal;

/**
 * Signed or checked texts, about which readers must not differ: rejects what json_decode takes and others do not, such
 * as an object that repeats a name.
 */
final class StrictJson
{
    private const DEPTH_MAX = 100;

    /** @throws \JsonException */
    public static function webhook(string $text): mixed
    {
        return self::parse($text, isAssociative: true);
    }

    /**
     * Objects are \stdClass, to tell {} from []. Numbers must be integers that every language holds exactly.
     *
     * @throws \JsonException
     */
    public static function receipt(string $text): mixed
    {
        return self::parse($text, isAssociative: false);
    }

    private static function parse(string $text, bool $isAssociative): mixed
    {
        $value = json_decode($text, $isAssociative, self::DEPTH_MAX + 1, JSON_THROW_ON_ERROR);
        self::demandNamesOnce($text, integersOnly: !$isAssociative);
        return $value;
    }

    // The text is valid JSON. Looks at strings, numbers, braces and brackets: the rest does not matter here.
    private static function demandNamesOnce(string $text, bool $integersOnly): void
    {
        $open = []; // for each object its names, for each array null
        $name = null; // the last string, which is a name if a colon follows
        $length = strlen($text);
        for ($at = 0; $at < $length; $at += 1) {
            switch ($text[$at]) {
                case '{':
                    $open[] = [];
                    break;
                case '[':
                    $open[] = null;
                    break;
                case '}':
                case ']':
                    array_pop($open);
                    break;
                case '"':
                    $end = self::endOfString($text, $at);
                    $name = substr($text, $at, $end - $at);
                    $at = $end - 1;
                    break;
                case ':':
                    // With a mark in front, since PHP makes numbers of some keys.
                    $key = '"' . json_decode((string) $name, false, 1, JSON_THROW_ON_ERROR);
                    $top = array_key_last($open);
                    if (isset($open[$top][$key])) {
                        throw new \JsonException('a name comes twice');
                    }
                    $open[$top][$key] = true;
                    break;
                case 't':
                case 'f':
                case 'n':
                    $at += strspn($text, 'abcdefghijklmnopqrstuvwxyz', $at) - 1;
                    break;
                default:
                    $span = strspn($text, '-+.0123456789eE', $at);
                    if ($span > 0 && $integersOnly) {
                        self::demandInteger(substr($text, $at, $span));
                    }
                    $at += max(0, $span - 1);
            }
        }
    }

    private static function endOfString(string $text, int $start): int
    {
        for ($at = $start + 1; ; $at += 2) {
            $at += strcspn($text, '"\\', $at);
            if ($text[$at] === '"') {
                return $at + 1;
            }
        }
    }

    private static function demandInteger(string $number): void
    {
        $value = filter_var($number, FILTER_VALIDATE_INT);
        if ($value === false || $value > Texts::SAFE_MAX || $value < -Texts::SAFE_MAX) {
            throw new \JsonException('a number is not an integer');
        }
    }
}
