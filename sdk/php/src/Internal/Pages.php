<?php

declare(strict_types=1);

namespace Pixledger\Internal;

use Pixledger\ApiError;
use Pixledger\ConnectionError;

/** Every item of a list, and of the feed. */
final class Pages
{
    private const ITEMS_PER_PAGE = 100;
    // How long the feed waits for events before it polls again.
    private const WAIT_SECONDS = 20;

    /**
     * New items shift later ones to the next page: none is yielded twice.
     *
     * @param \Closure(array<string, mixed>, array<string, mixed>): array<string, mixed> $readPage
     * @param array<string, mixed> $query
     * @param array<string, mixed> $options
     * @return \Generator<int, mixed, void, void>
     */
    public static function items(\Closure $readPage, array $query, array $options): \Generator
    {
        $seen = [];
        for ($page = $query['page'] ?? 1; ; $page += 1) {
            $paged = ['page' => $page] + $query + ['limit' => self::ITEMS_PER_PAGE];
            ['data' => $data, 'meta' => $meta] = $readPage($paged, $options);
            foreach ($data as $item) {
                $id = is_array($item) && is_string($item['id'] ?? null) ? $item['id'] : '';
                if ($id === '' || !isset($seen[$id])) {
                    yield $item;
                }
                $seen[$id] = true;
            }
            if ($data === [] || $page >= ($meta['totalPages'] ?? $page)) {
                return;
            }
        }
    }

    /**
     * Existing and new events. Throws if the first reply never comes; afterwards no temporary failure ends it, unless
     * `retries` is given or it stops when idle.
     *
     * @param \Closure(array<string, mixed>, array<string, mixed>): array<string, mixed> $readPage
     * @param array<string, mixed> $query
     * @param array<string, mixed> $options
     * @return \Generator<int, mixed, void, void>
     */
    public static function follow(\Closure $readPage, array $query, array $options): \Generator
    {
        $names = [...array_diff(Transport::CALL_OPTIONS, ['idempotencyKey']), 'stopWhenIdle', 'onCutOff'];
        Options::demandNames($options, array_values($names));
        $stopWhenIdle = ($options['stopWhenIdle'] ?? false) === true;
        $onCutOff = $options['onCutOff'] ?? null;
        if ($onCutOff !== null && !is_callable($onCutOff)) {
            throw new \InvalidArgumentException('onCutOff must be a function');
        }
        $options = array_diff_key($options, ['stopWhenIdle' => true, 'onCutOff' => true]);
        for (;;) {
            $after = $query['after'] ?? null;
            // Fixes the place of "now" at once: otherwise the events of a lost reply would be missed while waiting.
            $wait = $after === 'now' ? null : ($query['wait'] ?? ($stopWhenIdle ? null : self::WAIT_SECONDS));
            try {
                ['data' => $data, 'meta' => $meta] = $readPage(['wait' => $wait] + $query, $options);
            } catch (ApiError $error) {
                $query['after'] = self::resumption($error, $after);
                if ($onCutOff !== null) {
                    $onCutOff($query['after']);
                }
                continue;
            }
            if (!is_string($meta['next'] ?? null)) { // one would begin again
                throw new ConnectionError('The answer is not a page of the feed.', isTemporary: false);
            }
            foreach ($data as $event) {
                yield $event;
            }
            $query['after'] = $meta['next'];
            // The server looks for events for a second at most: an empty page whose place is another is not the last.
            if ($stopWhenIdle && $data === [] && $query['after'] === $after) {
                return;
            }
            if (!$stopWhenIdle) {
                $options['retries'] ??= PHP_INT_MAX;
            }
        }
    }

    // Where the feed continues, if a restore of the ledger cut off the history after the cursor.
    private static function resumption(ApiError $error, ?string $after): string
    {
        foreach ($error->errorCode === 'ERR_CURSOR_001' ? $error->details : [] as $detail) {
            $next = $detail['resumeAfter'] ?? null;
            if (is_string($next) && $next !== $after) {
                return $next;
            }
        }
        throw $error;
    }
}
