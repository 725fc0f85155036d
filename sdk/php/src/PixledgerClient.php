<?php

declare(strict_types=1);

namespace Pixledger;

use Pixledger\Internal\ApiKey;
use Pixledger\Internal\Transport;

/**
 * Calls the API with one key. Calls are repeated, after growing pauses or those that the server requests, when it
 * answers 429, 502, 503 or 504, when the same idempotency key is still in flight, and when there is no reply.
 *
 * Calls throw ApiError, ConnectionError or TimeoutError. Those whose name ends in All yield every item, page by page.
 */
final class PixledgerClient implements \JsonSerializable
{
    public readonly Api\Transactions $transactions;
    public readonly Api\Customers $customers;
    public readonly Api\Blocklist $blocklist;
    public readonly Api\Store $store;
    public readonly Api\Channels $channels;
    /** Payers' pages. */
    public readonly Api\Checkout $checkout;
    public readonly Api\Deliveries $deliveries;
    public readonly Api\Events $events;
    /** Figures and tables for people. */
    public readonly Api\Overview $overview;
    public readonly Api\Ledger $ledger;
    /** What test keys can do with transactions of the sandbox. */
    public readonly Api\Sandbox $sandbox;
    /** The paths without a version: the same things with slightly other fields. */
    public readonly Api\Unversioned $unversioned;
    /** About the server; needs no key. */
    public readonly Api\Service $service;

    /**
     * @param string $baseUrl such as https://pay.example.com; http: goes to this machine alone
     * @param array{timeout?: float|int, retries?: int, allowHttp?: bool, caFile?: string} $options
     *     `timeout`: seconds for one attempt (30); `retries`: attempts after the first (4); `allowHttp`: permits http:
     *     to other hosts; `caFile`: certificates to trust in the place of the system's
     * @throws \InvalidArgumentException
     */
    public function __construct(
        #[\SensitiveParameter] string $apiKey,
        #[\SensitiveParameter] string $baseUrl,
        array $options = [],
    ) {
        $key = ApiKey::of($apiKey);
        $apiKey = ''; // no stack trace has it, in PHP 8.1 either
        if ($key === null) {
            throw new \InvalidArgumentException('apiKey must be an API key: sk_live_… or sk_test_…');
        }
        $transport = new Transport($key, $baseUrl, $options);
        $this->transactions = new Api\Transactions($transport);
        $this->customers = new Api\Customers($transport);
        $this->blocklist = new Api\Blocklist($transport);
        $this->store = new Api\Store($transport);
        $this->channels = new Api\Channels($transport);
        $this->checkout = new Api\Checkout($transport);
        $this->deliveries = new Api\Deliveries($transport);
        $this->events = new Api\Events($transport);
        $this->overview = new Api\Overview($transport);
        $this->ledger = new Api\Ledger($transport);
        $this->sandbox = new Api\Sandbox($transport);
        $this->unversioned = new Api\Unversioned($transport);
        $this->service = new Api\Service($transport);
    }

    public function jsonSerialize(): never
    {
        throw new \LogicException('A client holds an API key, and cannot be serialised.');
    }
}
