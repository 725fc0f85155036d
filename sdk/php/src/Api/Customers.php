<?php

declare(strict_types=1);

// Made from the OpenAPI document by scripts/lib/sdk/php.mjs: change these.

namespace Pixledger\Api;

use Pixledger\Internal\Pages;

/**
 * @phpstan-import-type BlockCustomer from Types
 * @phpstan-import-type Customer from Types
 * @phpstan-import-type CustomerDetailV1 from Types
 * @phpstan-import-type Meta from Types
 * @phpstan-import-type SaveCustomer from Types
 * @phpstan-import-type CallOptions from Group
 */
final class Customers extends Group
{
    /**
     * Create or update a customer.
     *
     * @param SaveCustomer $body
     * @param CallOptions $options
     * @return Customer
     */
    public function save(array $body, array $options = []): array
    {
        return $this->data('POST', '/api/v1/customers', $options, body: $body);
    }

    /**
     * List customers.
     *
     * @param array{page?: int, limit?: int, environment?: 'live'|'sandbox', dateFrom?: string|\DateTimeInterface,
     *     dateTo?: string|\DateTimeInterface, search?: string, q?: string, document?: string, email?: string,
     *     isBlocked?: bool} $query
     * @param CallOptions $options
     * @return array{data: list<Customer>, meta: Meta}
     */
    public function list(array $query = [], array $options = []): array
    {
        return $this->page('GET', '/api/v1/customers', $options, query: $query);
    }

    /**
     * List customers: all, page by page.
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
     * Get a customer.
     *
     * @param CallOptions $options
     * @return CustomerDetailV1
     */
    public function get(string $id, array $options = []): array
    {
        return $this->data('GET', self::path('/api/v1/customers/{id}', $id), $options);
    }

    /**
     * Block a customer.
     *
     * @param BlockCustomer $body
     * @param CallOptions $options
     * @return CustomerDetailV1
     */
    public function block(string $id, array $body = [], array $options = []): array
    {
        return $this->data('POST', self::path('/api/v1/customers/{id}/block', $id), $options, body: $body);
    }

    /**
     * Unblock a customer.
     *
     * @param CallOptions $options
     * @return CustomerDetailV1
     */
    public function unblock(string $id, array $options = []): array
    {
        return $this->data('POST', self::path('/api/v1/customers/{id}/unblock', $id), $options);
    }
}
