<?php

declare(strict_types=1);

namespace Pixledger;

use Pixledger\Internal\Checkpoints;
use Pixledger\Internal\Receipts;
use Pixledger\Internal\Rejection;
use Pixledger\Internal\Returns;
use Pixledger\Internal\Webhooks;

/**
 * Verifies that a webhook was signed with the channel's secret, completely and (unless v1) recently, and returns it.
 * During a rotation both the old and the new secret are valid.
 *
 * @param string $rawBody file_get_contents('php://input'): a parsed and serialised body differs
 * @param array<mixed> $headers getallheaders(), $_SERVER, or those of a framework, as texts or lists
 * @param string|list<string> $secret the channel's secret, or several of which one must fit
 * @param array{toleranceSeconds?: int|float, versions?: list<'v1'|'v2'|'standard'>,
 *     now?: callable(): (int|float)} $options
 *     `toleranceSeconds`: how far the signature's time may be from the clock (300); `versions`: the forms to accept;
 *     `now`: the clock, in seconds
 * @return array{event: string, type: string, apiVersion?: string, data: array<string, mixed>, title: string,
 *     message: string, timestamp: string, delivery: array{id: string|null, attempt: int|null, sequence: int|null,
 *     version: 'v1'|'v2'|'standard', signedAt: string|null}}
 *     the body, and how it was delivered: `delivery.id` is the same at every attempt, for handling a webhook once
 * @throws WebhookVerificationError answer 401 and do nothing
 * @throws \InvalidArgumentException
 */
function verifyWebhook(
    #[\SensitiveParameter] mixed $rawBody,
    #[\SensitiveParameter] mixed $headers,
    #[\SensitiveParameter] mixed $secret,
    array $options = [],
): array {
    $secrets = is_array($secret) ? array_values($secret) : [$secret];
    $areTexts = $secrets !== [];
    foreach ($secrets as $each) {
        $areTexts = $areTexts && is_string($each) && $each !== '';
    }
    $problem = match (true) {
        !is_string($rawBody) => 'rawBody must be the text as it arrived: not a parsed body',
        !is_array($headers) => 'headers must be those of the request',
        !$areTexts => 'secret must be the channel’s secret, or a list of secrets',
        default => null,
    };
    $result = $problem === null ? Webhooks::verify($rawBody, $headers, $secrets, $options) : null;
    // No stack trace has them, in PHP 8.1 either.
    $rawBody = $headers = $secret = $secrets = $each = null;
    if ($problem !== null) {
        throw new \InvalidArgumentException($problem);
    }
    return $result instanceof Rejection ? throw new WebhookVerificationError($result->code, $result->message) : $result;
}

/**
 * What a checkout session's page states in the address that it sends the payer back to (`successUrl`), if the store's
 * key has signed it recently; else null: then query the API. Deliver on the webhook or the feed, not on this.
 *
 * @param string $url the whole address, or its path and query, as received: $_SERVER['REQUEST_URI']
 * @param string $publicKey `returnPublicKey` of the store
 * @param array{session?: string, toleranceSeconds?: int|float, now?: callable(): (int|float)} $options
 *     `session`: the one that was created for this order. Give it, or compare the result's: the address of a cheaper
 *     paid session has a valid signature too; `toleranceSeconds`: how far its time may be from the clock (3600)
 * @return array{session: string, transaction: string, status: string, signedAt: string}|null
 * @throws \InvalidArgumentException if the key is invalid
 */
function verifyReturn(string $url, string $publicKey, array $options = []): ?array
{
    return Returns::verify($url, $publicKey, $options);
}

/**
 * Verifies that a receipt's events are those of its transaction, from the first on and without a gap, all in the ledger
 * whose key signed its checkpoint, and as many as it states. A receipt does not show whether there have been later
 * events.
 *
 * @param string $receipt the text of a receipt, or of the API's whole answer: parsing drops repeated names
 * @param string $publicKey the line of `pixledger checkpoint --public-key`, which names the ledger too; or the 32
 *     bytes of the key, for any ledger and epoch that it signs. Do not get it from the giver of the receipt.
 * @param array{transactionId?: string} $options the transaction that it must be the receipt of: give it
 * @return array{ok: true, transactionId: string, status: string, events: list<array<string, mixed>>,
 *     streamLength: int|null, withoutPersonalData: int, origin: string, size: int, rootHash: string}|array{ok: false,
 *     reason: string, message: string}
 * @throws \InvalidArgumentException if the key is invalid, or the receipt is not a text
 */
function verifyReceipt(mixed $receipt, mixed $publicKey, array $options = []): array
{
    return Receipts::verify($receipt, $publicKey, $options);
}

/**
 * Verifies that the ledger's key has signed a checkpoint.
 *
 * @param string $checkpoint the text, as `$client->ledger->checkpoint()` has it in `checkpoint`
 * @param string $publicKey as for verifyReceipt
 * @return (array{ok: true, origin: string, size: int, rootHash: string,
 *     stream: array{name: string, events: int}|null}|array{ok: false, reason: 'not_signed', message: string})
 * @throws \InvalidArgumentException if the key is invalid, or the checkpoint is not a text
 */
function verifyCheckpoint(mixed $checkpoint, mixed $publicKey): array
{
    return Checkpoints::verify($checkpoint, $publicKey);
}
