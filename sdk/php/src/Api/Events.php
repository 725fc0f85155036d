<?php

declare(strict_types=1);

// Made from the OpenAPI document by scripts/lib/sdk/php.mjs: change these.

namespace Pixledger\Api;

use Pixledger\Internal\Pages;

/**
 * @phpstan-import-type Event from Types
 * @phpstan-import-type EventsMeta from Types
 * @phpstan-import-type CallOptions from Group
 * @phpstan-import-type FollowOptions from Group
 */
final class Events extends Group
{
    /**
     * Follow what happens.
     *
     * @param array{after?: string, types?: string|list<string>, limit?: int, wait?: int} $query
     * @param CallOptions $options
     * @return array{data: list<Event>, meta: EventsMeta}
     */
    public function list(array $query = [], array $options = []): array
    {
        return $this->page('GET', '/api/v1/events', $options, query: $query);
    }

    /**
     * Every event from `after` on, without a gap; waits for new ones, unless `stopWhenIdle`.
     *
     * @param array{after?: string, types?: string|list<string>, limit?: int, wait?: int} $query
     * @param FollowOptions $options
     * @return \Generator<int, Event, void, void>
     */
    public function follow(array $query = [], array $options = []): \Generator
    {
        return Pages::follow($this->list(...), $query, $options);
    }
}
