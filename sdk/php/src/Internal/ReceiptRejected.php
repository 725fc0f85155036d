<?php

declare(strict_types=1);

namespace Pixledger\Internal;

final class ReceiptRejected extends \RuntimeException
{
    public function __construct(public readonly string $reason, string $message)
    {
        parent::__construct($message);
    }
}
