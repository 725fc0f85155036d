<?php

declare(strict_types=1);

// Made from the OpenAPI document by scripts/lib/sdk/php.mjs: change these.

namespace Pixledger\Api;

use Pixledger\Internal\Pages;

/**
 * @phpstan-import-type AddBlocklistEntry from Types
 * @phpstan-import-type BlocklistEntry from Types
 * @phpstan-import-type Meta from Types
 * @phpstan-import-type CallOptions from Group
 */
final class Blocklist extends Group
{
    /**
     * List the blocklist.
     *
     * @param array{page?: int, limit?: int, environment?: 'live'|'sandbox'} $query
     * @param CallOptions $options
     * @return array{data: list<BlocklistEntry>, meta: Meta}
     */
    public function list(array $query = [], array $options = []): array
    {
        return $this->page('GET', '/api/v1/blocklist', $options, query: $query);
    }

    /**
     * List the blocklist: all, page by page.
     *
     * @param array{page?: int, limit?: int, environment?: 'live'|'sandbox'} $query
     * @param CallOptions $options
     * @return \Generator<int, BlocklistEntry, void, void>
     */
    public function listAll(array $query = [], array $options = []): \Generator
    {
        return Pages::items($this->list(...), $query, $options);
    }

    /**
     * Add to the blocklist.
     *
     * @param AddBlocklistEntry $body
     * @param CallOptions $options
     * @return BlocklistEntry
     */
    public function add(array $body, array $options = []): array
    {
        return $this->data('POST', '/api/v1/blocklist', $options, body: $body);
    }

    /**
     * Remove from the blocklist.
     *
     * @param CallOptions $options
     * @return BlocklistEntry|null
     */
    public function remove(string $id, array $options = []): ?array
    {
        return $this->data('DELETE', self::path('/api/v1/blocklist/{id}', $id), $options);
    }
}
