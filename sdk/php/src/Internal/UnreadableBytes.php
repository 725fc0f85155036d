<?php

declare(strict_types=1);

namespace Pixledger\Internal;

final class UnreadableBytes extends \RuntimeException
{
}
