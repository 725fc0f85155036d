<?php

declare(strict_types=1);

// Made from the OpenAPI document by scripts/lib/sdk/php.mjs: change these.

namespace Pixledger\Api;

use Pixledger\Internal\Pages;

/**
 * @phpstan-import-type CheckoutSession from Types
 * @phpstan-import-type CheckoutSessionWithSecret from Types
 * @phpstan-import-type CreateCheckoutSession from Types
 * @phpstan-import-type Delivery from Types
 * @phpstan-import-type Meta from Types
 * @phpstan-import-type CallOptions from Group
 */
final class Checkout extends Group
{
    /**
     * Create a checkout session.
     *
     * @param CreateCheckoutSession $body
     * @param CallOptions $options
     * @return CheckoutSessionWithSecret
     */
    public function create(array $body, array $options = []): array
    {
        return $this->data('POST', '/api/v1/checkout/sessions', $options, body: $body);
    }

    /**
     * List checkout sessions.
     *
     * @param array{page?: int, limit?: int, status?: 'open'|'complete'|'expired'|'cancelled', externalId?: string,
     *     dateFrom?: string|\DateTimeInterface, dateTo?: string|\DateTimeInterface,
     *     environment?: 'live'|'sandbox'} $query
     * @param CallOptions $options
     * @return array{data: list<CheckoutSession>, meta: Meta}
     */
    public function list(array $query = [], array $options = []): array
    {
        return $this->page('GET', '/api/v1/checkout/sessions', $options, query: $query);
    }

    /**
     * List checkout sessions: all, page by page.
     *
     * @param array{page?: int, limit?: int, status?: 'open'|'complete'|'expired'|'cancelled', externalId?: string,
     *     dateFrom?: string|\DateTimeInterface, dateTo?: string|\DateTimeInterface,
     *     environment?: 'live'|'sandbox'} $query
     * @param CallOptions $options
     * @return \Generator<int, CheckoutSession, void, void>
     */
    public function listAll(array $query = [], array $options = []): \Generator
    {
        return Pages::items($this->list(...), $query, $options);
    }

    /**
     * Get a checkout session.
     *
     * @param CallOptions $options
     * @return CheckoutSession
     */
    public function get(string $id, array $options = []): array
    {
        return $this->data('GET', self::path('/api/v1/checkout/sessions/{id}', $id), $options);
    }

    /**
     * Cancel a checkout session.
     *
     * @param CallOptions $options
     * @return CheckoutSession
     */
    public function cancel(string $id, array $options = []): array
    {
        return $this->data('POST', self::path('/api/v1/checkout/sessions/{id}/cancel', $id), $options);
    }

    /**
     * List what was sent to a session's webhookUrl.
     *
     * @param array{status?: 'pending'|'delivered'|'failed'|'exhausted', transactionId?: string, page?: int,
     *     limit?: int} $query
     * @param CallOptions $options
     * @return array{data: list<Delivery>, meta: Meta}
     */
    public function deliveries(string $id, array $query = [], array $options = []): array
    {
        return $this->page(
            'GET',
            self::path('/api/v1/checkout/sessions/{id}/deliveries', $id),
            $options,
            query: $query,
        );
    }

    /**
     * List what was sent to a session's webhookUrl: all, page by page.
     *
     * @param array{status?: 'pending'|'delivered'|'failed'|'exhausted', transactionId?: string, page?: int,
     *     limit?: int} $query
     * @param CallOptions $options
     * @return \Generator<int, Delivery, void, void>
     */
    public function deliveriesAll(string $id, array $query = [], array $options = []): \Generator
    {
        return Pages::items(
            fn (array $query, array $options): array => $this->deliveries($id, $query, $options),
            $query,
            $options,
        );
    }
}
