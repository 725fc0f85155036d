<?php

declare(strict_types=1);

// Made from the OpenAPI document by scripts/lib/sdk/php.mjs: change these.

namespace Pixledger\Api;

/**
 * @phpstan-import-type Delivery from Types
 * @phpstan-import-type DeliveryDetail from Types
 * @phpstan-import-type CallOptions from Group
 */
final class Deliveries extends Group
{
    /**
     * Get a delivery with what was sent.
     *
     * @param CallOptions $options
     * @return DeliveryDetail
     */
    public function get(string $id, array $options = []): array
    {
        return $this->data('GET', self::path('/api/v1/deliveries/{id}', $id), $options);
    }

    /**
     * Send a delivery again.
     *
     * @param CallOptions $options
     * @return Delivery
     */
    public function redeliver(string $id, array $options = []): array
    {
        return $this->data('POST', self::path('/api/v1/deliveries/{id}/redeliver', $id), $options);
    }
}
