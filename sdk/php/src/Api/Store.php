<?php

declare(strict_types=1);

// Made from the OpenAPI document by scripts/lib/sdk/php.mjs: change these.

namespace Pixledger\Api;

/**
 * @phpstan-import-type ChangeStore from Types
 * @phpstan-import-type Store from Types
 * @phpstan-import-type CallOptions from Group
 */
final class Store extends Group
{
    /**
     * Get the store.
     *
     * @param CallOptions $options
     * @return Store
     */
    public function get(array $options = []): array
    {
        return $this->data('GET', '/api/v1/store', $options);
    }

    /**
     * Change the store.
     *
     * @param ChangeStore $body
     * @param CallOptions $options
     * @return Store
     */
    public function update(array $body, array $options = []): array
    {
        return $this->data('PATCH', '/api/v1/store', $options, body: $body);
    }
}
