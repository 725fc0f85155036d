<?php

declare(strict_types=1);

// Made from the OpenAPI document by scripts/lib/sdk/php.mjs: change these.

namespace Pixledger\Api;

use Pixledger\Internal\Pages;

/**
 * @phpstan-import-type CreateTransaction from Types
 * @phpstan-import-type CreatedTransaction from Types
 * @phpstan-import-type EventsMeta from Types
 * @phpstan-import-type Meta from Types
 * @phpstan-import-type Receipt from Types
 * @phpstan-import-type RefundTransaction from Types
 * @phpstan-import-type Transaction from Types
 * @phpstan-import-type TransactionHistoryEvent from Types
 * @phpstan-import-type TransactionItemV1 from Types
 * @phpstan-import-type CallOptions from Group
 */
final class Transactions extends Group
{
    /**
     * Create a PIX charge.
     *
     * @param CreateTransaction $body
     * @param CallOptions $options
     * @return CreatedTransaction
     */
    public function create(array $body, array $options = []): array
    {
        return $this->data('POST', '/api/v1/transactions', $options, body: $body);
    }

    /**
     * List transactions.
     *
     * @param array{page?: int, limit?: int, status?: string|list<string>, customerId?: string,
     *     environment?: 'live'|'sandbox', originDomain?: string, domain?: string, connectionId?: string,
     *     amountMin?: int, amountMax?: int, customerEmail?: string, dateFrom?: string|\DateTimeInterface,
     *     dateTo?: string|\DateTimeInterface, search?: string, q?: string, externalId?: string,
     *     transactionCode?: string, failed?: true, unapplied?: true, partlyRefunded?: true, metadata?: array<string,
     *     string>} $query
     * @param CallOptions $options
     * @return array{data: list<TransactionItemV1>, meta: Meta}
     */
    public function list(array $query = [], array $options = []): array
    {
        return $this->page('GET', '/api/v1/transactions', $options, query: $query);
    }

    /**
     * List transactions: all, page by page.
     *
     * @param array{page?: int, limit?: int, status?: string|list<string>, customerId?: string,
     *     environment?: 'live'|'sandbox', originDomain?: string, domain?: string, connectionId?: string,
     *     amountMin?: int, amountMax?: int, customerEmail?: string, dateFrom?: string|\DateTimeInterface,
     *     dateTo?: string|\DateTimeInterface, search?: string, q?: string, externalId?: string,
     *     transactionCode?: string, failed?: true, unapplied?: true, partlyRefunded?: true, metadata?: array<string,
     *     string>} $query
     * @param CallOptions $options
     * @return \Generator<int, TransactionItemV1, void, void>
     */
    public function listAll(array $query = [], array $options = []): \Generator
    {
        return Pages::items($this->list(...), $query, $options);
    }

    /**
     * Check a transaction.
     *
     * @param CallOptions $options
     * @return Transaction
     */
    public function get(string $id, array $options = []): array
    {
        return $this->data('GET', self::path('/api/v1/transactions/{id}', $id), $options);
    }

    /**
     * Check a transaction.
     *
     * @param array{asOf?: string|\DateTimeInterface} $query
     * @param CallOptions $options
     * @return Transaction
     */
    public function getAsOf(string $id, array $query = [], array $options = []): array
    {
        return $this->data('GET', self::path('/api/v1/transactions/{id}', $id), $options, query: $query);
    }

    /**
     * Draw a transaction's code.
     *
     * @param array{size?: int} $query
     * @param CallOptions $options
     * @return string
     */
    public function qrSvg(string $id, array $query = [], array $options = []): string
    {
        return $this->text('GET', self::path('/api/v1/transactions/{id}/qr.svg', $id), $options, query: $query);
    }

    /**
     * Draw a transaction's code as PNG.
     *
     * @param array{size?: int} $query
     * @param CallOptions $options
     * @return string
     */
    public function qrPng(string $id, array $query = [], array $options = []): string
    {
        return $this->text('GET', self::path('/api/v1/transactions/{id}/qr.png', $id), $options, query: $query);
    }

    /**
     * Get a transaction's receipt.
     *
     * @param CallOptions $options
     * @return Receipt
     */
    public function receipt(string $id, array $options = []): array
    {
        return $this->data('GET', self::path('/api/v1/transactions/{id}/receipt', $id), $options);
    }

    /**
     * Cancel a transaction.
     *
     * @param CallOptions $options
     * @return Transaction
     */
    public function cancel(string $id, array $options = []): array
    {
        return $this->data('POST', self::path('/api/v1/transactions/{id}/cancel', $id), $options);
    }

    /**
     * Refund a transaction.
     *
     * @param RefundTransaction $body
     * @param CallOptions $options
     * @return Transaction
     */
    public function refund(string $id, array $body = [], array $options = []): array
    {
        return $this->data('POST', self::path('/api/v1/transactions/{id}/refund', $id), $options, body: $body);
    }

    /**
     * What happened to a transaction.
     *
     * @param array{after?: string, limit?: int} $query
     * @param CallOptions $options
     * @return array{data: list<TransactionHistoryEvent>, meta: EventsMeta}
     */
    public function events(string $id, array $query = [], array $options = []): array
    {
        return $this->page('GET', self::path('/api/v1/transactions/{id}/events', $id), $options, query: $query);
    }

    /**
     * Get a transaction's receipt.
     * The whole answer as it came, for verifyReceipt.
     *
     * @param CallOptions $options
     * @return string
     */
    public function receiptText(string $id, array $options = []): string
    {
        return $this->text('GET', self::path('/api/v1/transactions/{id}/receipt', $id), $options);
    }
}
