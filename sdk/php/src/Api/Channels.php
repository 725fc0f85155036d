<?php

declare(strict_types=1);

// Made from the OpenAPI document by scripts/lib/sdk/php.mjs: change these.

namespace Pixledger\Api;

use Pixledger\Internal\Pages;

/**
 * @phpstan-import-type AddChannel from Types
 * @phpstan-import-type CatalogueEntry from Types
 * @phpstan-import-type ChannelHealth from Types
 * @phpstan-import-type ChannelPreview from Types
 * @phpstan-import-type ChannelStats from Types
 * @phpstan-import-type Delivery from Types
 * @phpstan-import-type Meta from Types
 * @phpstan-import-type NotificationChannel from Types
 * @phpstan-import-type NotificationChannelWithSecret from Types
 * @phpstan-import-type RecoverDeliveries from Types
 * @phpstan-import-type Recovery from Types
 * @phpstan-import-type RotateSecret from Types
 * @phpstan-import-type UpdateChannel from Types
 * @phpstan-import-type WebhookEvent from Types
 * @phpstan-import-type CallOptions from Group
 */
final class Channels extends Group
{
    /**
     * Add a notification channel.
     *
     * @param AddChannel $body
     * @param CallOptions $options
     * @return NotificationChannelWithSecret
     */
    public function create(array $body, array $options = []): array
    {
        return $this->data('POST', '/api/v1/notification-channels', $options, body: $body);
    }

    /**
     * List notification channels.
     *
     * @param array{page?: int, limit?: int} $query
     * @param CallOptions $options
     * @return array{data: list<NotificationChannel>, meta: Meta}
     */
    public function list(array $query = [], array $options = []): array
    {
        return $this->page('GET', '/api/v1/notification-channels', $options, query: $query);
    }

    /**
     * List notification channels: all, page by page.
     *
     * @param array{page?: int, limit?: int} $query
     * @param CallOptions $options
     * @return \Generator<int, NotificationChannel, void, void>
     */
    public function listAll(array $query = [], array $options = []): \Generator
    {
        return Pages::items($this->list(...), $query, $options);
    }

    /**
     * Get a notification channel.
     *
     * @param CallOptions $options
     * @return NotificationChannel
     */
    public function get(string $id, array $options = []): array
    {
        return $this->data('GET', self::path('/api/v1/notification-channels/{id}', $id), $options);
    }

    /**
     * Change a notification channel.
     *
     * @param UpdateChannel $body
     * @param CallOptions $options
     * @return NotificationChannel
     */
    public function update(string $id, array $body = [], array $options = []): array
    {
        return $this->data('PATCH', self::path('/api/v1/notification-channels/{id}', $id), $options, body: $body);
    }

    /**
     * Delete a notification channel.
     *
     * @param CallOptions $options
     * @return NotificationChannel|null
     */
    public function delete(string $id, array $options = []): ?array
    {
        return $this->data('DELETE', self::path('/api/v1/notification-channels/{id}', $id), $options);
    }

    /**
     * Rotate a channel's secret.
     *
     * @param RotateSecret $body
     * @param CallOptions $options
     * @return array{id: string, name: string|null, url: string, events: list<WebhookEvent>,
     *     environments: list<'live'|'sandbox'>, isActive: bool, webhookApiVersion: 'v1'|'v2', secretHint: string,
     *     health: ChannelHealth, createdAt: string, updatedAt: string, secret: string, graceEndsAt: string}
     */
    public function rotateSecret(string $id, array $body = [], array $options = []): array
    {
        return $this->data(
            'POST',
            self::path('/api/v1/notification-channels/{id}/rotate-secret', $id),
            $options,
            body: $body,
        );
    }

    /**
     * Test a channel.
     *
     * @param CallOptions $options
     * @return Delivery
     */
    public function test(string $id, array $options = []): array
    {
        return $this->data('POST', self::path('/api/v1/notification-channels/{id}/test', $id), $options);
    }

    /**
     * List a channel's deliveries.
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
            self::path('/api/v1/notification-channels/{id}/deliveries', $id),
            $options,
            query: $query,
        );
    }

    /**
     * List a channel's deliveries: all, page by page.
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

    /**
     * Send what a channel missed.
     *
     * @param RecoverDeliveries $body
     * @param CallOptions $options
     * @return Recovery
     */
    public function recover(string $id, array $body = [], array $options = []): array
    {
        return $this->data(
            'POST',
            self::path('/api/v1/notification-channels/{id}/recover', $id),
            $options,
            body: $body,
        );
    }

    /**
     * How a channel's receiver has answered.
     *
     * @param CallOptions $options
     * @return ChannelStats
     */
    public function stats(string $id, array $options = []): array
    {
        return $this->data('GET', self::path('/api/v1/notification-channels/{id}/stats', $id), $options);
    }

    /**
     * An event in both versions.
     *
     * @param array{event?: WebhookEvent, webhookApiVersion?: 'v2'} $query
     * @param CallOptions $options
     * @return ChannelPreview
     */
    public function preview(string $id, array $query = [], array $options = []): array
    {
        return $this->data(
            'GET',
            self::path('/api/v1/notification-channels/{id}/preview', $id),
            $options,
            query: $query,
        );
    }

    /**
     * List what channels can be told of.
     *
     * @param CallOptions $options
     * @return list<CatalogueEntry>
     */
    public function events(array $options = []): array
    {
        return $this->data('GET', '/api/v1/notification-channels/events', $options);
    }
}
