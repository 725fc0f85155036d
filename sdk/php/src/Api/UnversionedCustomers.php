<?php

declare(strict_types=1);

// Made from the OpenAPI document by scripts/lib/sdk/php.mjs: change these.

namespace Pixledger\Api;

use Pixledger\Internal\Pages;

/**
 * @phpstan-import-type Customer from Types
 * @phpstan-import-type CustomerDetail from Types
 * @phpstan-import-type Meta from Types
 * @phpstan-import-type SaveCustomer from Types
 * @phpstan-import-type CallOptions from Group
 */
final class UnversionedCustomers extends Group
{
    /**
     * Create or update a customer (unversioned path).
     *
     * @param SaveCustomer $body
     * @param CallOptions $options
     * @return Customer
     */
    public function save(array $body, array $options = []): array
    {
        return $this->data('POST', '/api/customers', $options, body: $body);
    }

    /**
     * List customers (unversioned path).
     *
     * @param array{page?: int, limit?: int, environment?: 'live'|'sandbox', dateFrom?: string|\DateTimeInterface,
     *     dateTo?: string|\DateTimeInterface, search?: string, q?: string, document?: string, email?: string,
     *     isBlocked?: bool} $query
     * @param CallOptions $options
     * @return array{data: list<Customer>, meta: Meta}
     */
    public function list(array $query = [], array $options = []): array
    {
        return $this->page('GET', '/api/customers', $options, query: $query);
    }

    /**
     * List customers (unversioned path): all, page by page.
     *
     * @param array{page?: int, limit?: int, environment?: 'live'|'sandbox', dateFrom?: string|\DateTimeInterface,
     *     dateTo?: string|\DateTimeInterface, search?: string, q?: string, document?: string, email?: string,
     *     isBlocked?: bool} $query
     * @param CallOptions $options
     * @return \Generator<int, Customer, void, void>
     */
    public function listAll(array $query = [], array $options = []): \Generator
    {
        return Pages::items($this->list(...), $query, $options);
    }

    /**
     * Get a customer (unversioned path).
     *
     * @param CallOptions $options
     * @return CustomerDetail
     */
    public function get(string $id, array $options = []): array
    {
        return $this->data('GET', self::path('/api/customers/{id}', $id), $options);
    }
}
