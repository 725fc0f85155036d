<?php

declare(strict_types=1);

// Made from the OpenAPI document by scripts/lib/sdk/php.mjs: change these.

namespace Pixledger\Api;

final class Unversioned extends Group
{
    public readonly UnversionedTransactions $transactions;
    public readonly UnversionedCustomers $customers;

    public function __construct(\Pixledger\Internal\Transport $transport)
    {
        parent::__construct($transport);
        $this->transactions = new UnversionedTransactions($transport);
        $this->customers = new UnversionedCustomers($transport);
    }
}
