<?php

declare(strict_types=1);

namespace Pixledger;

/**
 * No reply, or an unreadable one. It is unknown whether the request was carried out; a repeat with the same idempotency
 * key does nothing twice.
 */
class ConnectionError extends PixledgerError
{
    /** @param bool $isTemporary false if a repeat would come to the same: a wrong certificate, or no JSON */
    public function __construct(string $message, public readonly bool $isTemporary = true)
    {
        parent::__construct($message);
    }
}
