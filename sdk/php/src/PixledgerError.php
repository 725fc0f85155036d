<?php

declare(strict_types=1);

namespace Pixledger;

/** The SDK's errors, beside \InvalidArgumentException and \TypeError for a wrong call. */
class PixledgerError extends \RuntimeException
{
}
