<?php

declare(strict_types=1);

// Made from the OpenAPI document by scripts/lib/sdk/php.mjs: change these.

namespace Pixledger\Api;

/**
 * @phpstan-import-type Checkpoint from Types
 * @phpstan-import-type Consistency from Types
 * @phpstan-import-type CallOptions from Group
 */
final class Ledger extends Group
{
    /**
     * Get the ledger's signed state.
     *
     * @param CallOptions $options
     * @return Checkpoint
     */
    public function checkpoint(array $options = []): array
    {
        return $this->data('GET', '/api/v1/ledger/checkpoint', $options);
    }

    /**
     * Relate two states of the ledger.
     *
     * @param array{from: int, to?: int} $query
     * @param CallOptions $options
     * @return Consistency
     */
    public function consistency(array $query = [], array $options = []): array
    {
        return $this->data('GET', '/api/v1/ledger/consistency', $options, query: $query);
    }
}
