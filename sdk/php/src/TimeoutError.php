<?php

declare(strict_types=1);

namespace Pixledger;

/** No reply in time. */
class TimeoutError extends ConnectionError
{
}
