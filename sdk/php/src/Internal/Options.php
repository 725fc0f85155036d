<?php

declare(strict_types=1);

namespace Pixledger\Internal;

/** The options that callers give. A misspelt one is an error: a key that is not sent would cost twice. */
final class Options
{
    /**
     * @param array<mixed> $options
     * @param list<string> $names
     */
    public static function demandNames(array $options, array $names): void
    {
        foreach (array_keys($options) as $name) {
            if (!in_array($name, $names, true)) {
                throw new \InvalidArgumentException("There is no option {$name}; there are " . implode(', ', $names));
            }
        }
    }

    /** @param array<mixed> $options */
    public static function number(
        array $options,
        string $name,
        int|float $default,
        bool $isAboveZero = false,
    ): int|float {
        $value = $options[$name] ?? $default;
        $isFine = (is_int($value) || is_float($value)) && ($isAboveZero ? $value > 0 : $value >= 0);
        return $isFine ? $value : throw new \InvalidArgumentException(
            $isAboveZero ? "{$name} must be a number above 0" : "{$name} must be a number from 0 on",
        );
    }

    /** @param array<mixed> $options */
    public static function count(array $options, string $name, int $default): int
    {
        $value = $options[$name] ?? $default;
        return is_int($value) && $value >= 0
            ? $value
            : throw new \InvalidArgumentException("{$name} must be an integer from 0 on");
    }

    /**
     * What a header holds: 1 to `$most` printable ASCII characters; null if it is not given.
     *
     * @param array<mixed> $options
     */
    public static function header(array $options, string $name, int $most): ?string
    {
        $value = $options[$name] ?? null;
        if ($value === null || (is_string($value) && preg_match("/\\A[ -~]{1,{$most}}\\z/", $value) === 1)) {
            return $value;
        }
        throw new \InvalidArgumentException("{$name} must be 1 to {$most} printable ASCII characters");
    }

    /** @param array<mixed> $options */
    public static function clock(array $options): int|float
    {
        $now = $options['now'] ?? 'time';
        return is_callable($now) ? $now() : throw new \InvalidArgumentException('now must return the time in seconds');
    }
}
