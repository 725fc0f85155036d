<?php

declare(strict_types=1);

namespace Pixledger\Internal;

/** Why something is not what it claims. A value: what throws must not have secrets in its stack trace. */
final class Rejection
{
    public function __construct(public readonly string $code, public readonly string $message)
    {
    }
}
