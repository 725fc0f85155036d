<?php

declare(strict_types=1);

namespace Pixledger\Internal;

/** A key that no text form of an object shows, and no stack trace. */
final class ApiKey
{
    /**
     * Neither a property nor bound to a closure: var_dump, var_export and casts show both.
     *
     * @var \WeakMap<self, string>|null
     */
    private static ?\WeakMap $keys = null;

    private function __construct()
    {
    }

    /** Null for what cannot be a key. */
    public static function of(#[\SensitiveParameter] string $text): ?self
    {
        if (preg_match('/\A(?!whsec_)[!-~]+\z/', $text) !== 1) {
            return null;
        }
        $key = new self();
        self::$keys ??= new \WeakMap();
        self::$keys[$key] = $text;
        return $key;
    }

    public function header(): string
    {
        return 'Authorization: Bearer ' . (self::$keys[$this] ?? '');
    }

    public function __serialize(): never
    {
        throw new \LogicException('A client holds an API key, and cannot be serialised.');
    }
}
