<?php

declare(strict_types=1);

namespace Pixledger\Internal;

/** What callers give, as it goes out. */
final class Wire
{
    /** Fields of bodies that are lists: an empty array is an object elsewhere. */
    public const LISTS = ['embedOrigins', 'environments', 'events'];

    /** @param array<mixed> $body */
    public static function json(array $body): string
    {
        if (array_key_exists('amountCents', $body) && $body['amountCents'] === null) {
            throw new \InvalidArgumentException('amountCents must be a number, or left out: a refund is then of all');
        }
        try {
            $flags = JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE | JSON_THROW_ON_ERROR;
            return json_encode(self::shaped($body, ''), $flags);
        } catch (\JsonException $error) {
            throw new \InvalidArgumentException("The body cannot be JSON: {$error->getMessage()}");
        }
    }

    /**
     * A list is joined with commas, an object is `name[key]` for each of its keys; null is left out.
     *
     * @param array<mixed> $query
     */
    public static function search(array $query): string
    {
        $parts = [];
        foreach ($query as $name => $value) {
            if (is_array($value) && ($name === 'metadata' || !array_is_list($value))) {
                foreach ($value as $key => $each) {
                    $parts[] = self::parameter("{$name}[{$key}]", $each);
                }
            } else {
                $parts[] = self::parameter((string) $name, $value);
            }
        }
        $parts = array_filter($parts);
        return $parts === [] ? '' : '?' . implode('&', $parts);
    }

    private static function parameter(string $name, mixed $value): string
    {
        if ($value === null) {
            return '';
        }
        $texts = [];
        foreach (is_array($value) ? $value : [$value] as $each) {
            $texts[] = self::text($each, $name);
        }
        return rawurlencode($name) . '=' . rawurlencode(implode(',', $texts));
    }

    private static function text(mixed $value, string $name): string
    {
        return match (true) {
            is_bool($value) => $value ? 'true' : 'false',
            $value instanceof \DateTimeInterface => self::time($value),
            is_scalar($value) => (string) $value,
            default => throw new \InvalidArgumentException("{$name} must be a text, a number, a time, or a list"),
        };
    }

    /** ISO 8601 in UTC with milliseconds. */
    public static function time(\DateTimeInterface $time): string
    {
        $utc = \DateTimeImmutable::createFromInterface($time)->setTimezone(new \DateTimeZone('UTC'));
        return $utc->format('Y-m-d\TH:i:s.v\Z');
    }

    // PHP has one kind of array for lists and objects. Keys of metadata may be 0, 1, 2…
    private static function shaped(mixed $value, string $name): mixed
    {
        if ($value instanceof \DateTimeInterface) {
            return self::time($value);
        }
        if (!is_array($value)) {
            return $value;
        }
        $shaped = [];
        foreach ($value as $key => $each) {
            $shaped[$key] = self::shaped($each, is_string($key) ? $key : '');
        }
        $isList = $value === [] ? in_array($name, self::LISTS, true) : array_is_list($value) && $name !== 'metadata';
        return $isList ? $shaped : (object) $shaped;
    }
}
