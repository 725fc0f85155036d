<?php

declare(strict_types=1);

// Made from the OpenAPI document by scripts/lib/sdk/php.mjs: change these.

namespace Pixledger\Api;

/**
 * @phpstan-import-type FailedRequests from Types
 * @phpstan-import-type Found from Types
 * @phpstan-import-type ListedConnection from Types
 * @phpstan-import-type Stats from Types
 * @phpstan-import-type CallOptions from Group
 */
final class Overview extends Group
{
    /**
     * Find transactions, customers and payments.
     *
     * @param array{q: string} $query
     * @param CallOptions $options
     * @return Found
     */
    public function search(array $query = [], array $options = []): array
    {
        return $this->data('GET', '/api/v1/search', $options, query: $query);
    }

    /**
     * What transactions came to, by day.
     *
     * @param array{from?: string, to?: string, timezone?: string, environment?: 'live'|'sandbox'} $query
     * @param CallOptions $options
     * @return Stats
     */
    public function stats(array $query = [], array $options = []): array
    {
        return $this->data('GET', '/api/v1/stats', $options, query: $query);
    }

    /**
     * List the ways in which money comes in.
     *
     * @param CallOptions $options
     * @return list<ListedConnection>
     */
    public function connections(array $options = []): array
    {
        return $this->data('GET', '/api/v1/connections', $options);
    }

    /**
     * List failed calls.
     *
     * @param array{code?: string, field?: string, limit?: int} $query
     * @param CallOptions $options
     * @return FailedRequests
     */
    public function failedRequests(array $query = [], array $options = []): array
    {
        return $this->data('GET', '/api/v1/requests', $options, query: $query);
    }

    /**
     * Export a table.
     *
     * @param array{format?: 'csv'|'csv-br'|'xlsx'|'jsonl', language?: 'pt'|'en', by?: 'recorded'|'paid',
     *     environment?: 'live'|'sandbox', from?: string, to?: string, timezone?: string} $query
     * @param CallOptions $options
     * @return string
     */
    public function exportTable(string $id, array $query = [], array $options = []): string
    {
        return $this->text('GET', self::path('/api/v1/exports/{what}', $id), $options, query: $query);
    }
}
