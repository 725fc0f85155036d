<?php

declare(strict_types=1);

namespace Pixledger\Api;

use Pixledger\ConnectionError;
use Pixledger\Internal\Transport;

/**
 * A group of calls.
 *
 * CallOptions: `idempotencyKey` of POST and PATCH, by default a random one for each call, which its repeats share;
 * `timeout` in seconds and `retries` as those of the client; `requestId` comes back in errors and in the ledger's
 * events.
 * FollowOptions: `stopWhenIdle` ends the feed when there is no event any more, rather than wait; `onCutOff` is called
 * with the place where the feed continues after a restore has cut off the history.
 *
 * @phpstan-type CallOptions array{idempotencyKey?: string, timeout?: float|int, retries?: int, requestId?: string}
 * @phpstan-type FollowOptions array{timeout?: float|int, retries?: int, requestId?: string, stopWhenIdle?: bool,
 *     onCutOff?: callable(string): mixed}
 */
abstract class Group
{
    public function __construct(private readonly Transport $transport)
    {
    }

    protected static function path(string $template, string $id): string
    {
        if (preg_match('/\A\.*\z/', $id) === 1) {
            throw new \InvalidArgumentException('id must be an id');
        }
        return (string) preg_replace('/\{\w+\}/', rawurlencode($id), $template);
    }

    /**
     * @param array<string, mixed> $options
     * @param array<string, mixed>|null $query
     * @param array<string, mixed>|null $body
     */
    protected function text(
        string $method,
        string $path,
        array $options,
        ?array $query = null,
        ?array $body = null,
        bool $isPublic = false,
    ): string {
        return $this->transport->send($method, $path, $options, $query, $body, $isPublic);
    }

    /**
     * @param array<string, mixed> $options
     * @param array<string, mixed>|null $query
     * @param array<string, mixed>|null $body
     */
    protected function whole(
        string $method,
        string $path,
        array $options,
        ?array $query = null,
        ?array $body = null,
        bool $isPublic = false,
    ): mixed {
        $text = $this->text($method, $path, $options, $query, $body, $isPublic);
        $answer = str_starts_with(ltrim($text), '{') ? json_decode($text, true) : null;
        if (!is_array($answer)) {
            throw new ConnectionError('The answer is not a JSON object.', isTemporary: false);
        }
        return $answer;
    }

    /**
     * @param array<string, mixed> $options
     * @param array<string, mixed>|null $query
     * @param array<string, mixed>|null $body
     */
    protected function data(
        string $method,
        string $path,
        array $options,
        ?array $query = null,
        ?array $body = null,
        bool $isPublic = false,
    ): mixed {
        $data = $this->whole($method, $path, $options, $query, $body, $isPublic)['data'] ?? null;
        // What a repeated DELETE does not find any more has none.
        return $method === 'DELETE' ? $data : self::demandArray($data);
    }

    /**
     * @param array<string, mixed> $options
     * @param array<string, mixed> $query
     */
    protected function page(string $method, string $path, array $options, array $query): mixed
    {
        $answer = $this->whole($method, $path, $options, $query);
        $data = self::demandArray($answer['data'] ?? null);
        if (!array_is_list($data)) {
            throw new ConnectionError('The answer is not a page.', isTemporary: false);
        }
        return ['data' => $data, 'meta' => self::demandArray($answer['meta'] ?? null)];
    }

    /** @return array<mixed> */
    private static function demandArray(mixed $value): array
    {
        return is_array($value)
            ? $value
            : throw new ConnectionError('The answer is not the API’s: it has no data.', isTemporary: false);
    }
}
