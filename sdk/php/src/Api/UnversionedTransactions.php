<?php

declare(strict_types=1);

// Made from the OpenAPI document by scripts/lib/sdk/php.mjs: change these.

namespace Pixledger\Api;

use Pixledger\Internal\Pages;

/**
 * @phpstan-import-type Meta from Types
 * @phpstan-import-type Transaction from Types
 * @phpstan-import-type TransactionItem from Types
 * @phpstan-import-type CallOptions from Group
 */
final class UnversionedTransactions extends Group
{
    /**
     * List transactions (unversioned path).
     *
     * @param array{page?: int, limit?: int, status?: string|list<string>, customerId?: string,
     *     environment?: 'live'|'sandbox', originDomain?: string, domain?: string, connectionId?: string,
     *     amountMin?: int, amountMax?: int, customerEmail?: string, dateFrom?: string|\DateTimeInterface,
     *     dateTo?: string|\DateTimeInterface, search?: string, q?: string, externalId?: string,
     *     transactionCode?: string, failed?: true, unapplied?: true, partlyRefunded?: true, metadata?: array<string,
     *     string>} $query
     * @param CallOptions $options
     * @return array{data: list<TransactionItem>, meta: Meta}
     */
    public function list(array $query = [], array $options = []): array
    {
        return $this->page('GET', '/api/transactions', $options, query: $query);
    }

    /**
     * List transactions (unversioned path): all, page by page.
     *
     * @param array{page?: int, limit?: int, status?: string|list<string>, customerId?: string,
     *     environment?: 'live'|'sandbox', originDomain?: string, domain?: string, connectionId?: string,
     *     amountMin?: int, amountMax?: int, customerEmail?: string, dateFrom?: string|\DateTimeInterface,
     *     dateTo?: string|\DateTimeInterface, search?: string, q?: string, externalId?: string,
     *     transactionCode?: string, failed?: true, unapplied?: true, partlyRefunded?: true, metadata?: array<string,
     *     string>} $query
     * @param CallOptions $options
     * @return \Generator<int, TransactionItem, void, void>
     */
    public function listAll(array $query = [], array $options = []): \Generator
    {
        return Pages::items($this->list(...), $query, $options);
    }

    /**
     * Check a transaction (unversioned path).
     *
     * @param CallOptions $options
     * @return Transaction
     */
    public function get(string $id, array $options = []): array
    {
        return $this->data('GET', self::path('/api/transactions/{id}', $id), $options);
    }
}
