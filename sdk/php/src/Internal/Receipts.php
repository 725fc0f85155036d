<?php

declare(strict_types=1);

namespace Pixledger\Internal;

/** See Pixledger\verifyReceipt. */
final class Receipts
{
    private const BYTES_MAX = 64 * 1024 * 1024;
    private const DIGEST_BYTES = 32;
    private const PROOF_HASHES_MAX = 64;

    /**
     * @param array<mixed> $options
     * @return (array{ok: true, transactionId: string, status: string, events: list<array<string, mixed>>,
     *     streamLength: int|null, withoutPersonalData: int, origin: string, size: int, rootHash: string}|
     *     array{ok: false, reason: string, message: string})
     */
    public static function verify(mixed $receipt, mixed $publicKey, array $options): array
    {
        $key = Checkpoints::parseKey($publicKey);
        Options::demandNames($options, ['transactionId']);
        $expectedId = $options['transactionId'] ?? null;
        if (!is_string($receipt)) {
            throw new \InvalidArgumentException('receipt must be the text of a receipt: parsing drops repeated names');
        }
        if ($expectedId !== null && !is_string($expectedId)) {
            throw new \InvalidArgumentException('transactionId must be the id of a transaction');
        }
        try {
            return self::check($receipt, $key, $expectedId);
        } catch (ReceiptRejected $rejected) {
            return ['ok' => false, 'reason' => $rejected->reason, 'message' => $rejected->getMessage()];
        }
    }

    /**
     * @param array{name: string|null, key: string} $key
     * @return array{ok: true, transactionId: string, status: string, events: list<array<string, mixed>>,
     *     streamLength: int|null, withoutPersonalData: int, origin: string, size: int, rootHash: string}
     */
    private static function check(string $receipt, array $key, ?string $expectedId): array
    {
        ['transactionId' => $id, 'checkpoint' => $note, 'events' => $given] = self::parse($receipt);
        $checkpoint = Checkpoints::open($note, $key)
            ?? throw new ReceiptRejected('not_signed', 'Its checkpoint is not signed by that key.');
        if ($expectedId !== null && $id !== $expectedId) {
            throw new ReceiptRejected('other_transaction', "It is the receipt of {$id}.");
        }
        if ($given === []) {
            throw new ReceiptRejected('wrong_event', 'It has no events.');
        }
        $events = [];
        $withoutPersonalData = 0;
        foreach ($given as $each) {
            $events[] = self::checkEvent($each, $id, $checkpoint, $events);
            // The leaf says that there was personal data.
            $digest = substr($each['leaf'], -self::DIGEST_BYTES);
            $withoutPersonalData += $each['personal'] === null && $digest !== hash('sha256', '', true) ? 1 : 0;
        }
        self::checkLength($id, count($given), $checkpoint);
        return [
            'ok' => true,
            'transactionId' => $id,
            'status' => ChargeEvents::statusAfter($events),
            'events' => $events,
            'streamLength' => $checkpoint['stream']['events'] ?? null,
            'withoutPersonalData' => $withoutPersonalData,
            'origin' => $checkpoint['origin'],
            'size' => $checkpoint['size'],
            'rootHash' => bin2hex($checkpoint['root']),
        ];
    }

    /**
     * @return array{transactionId: string, checkpoint: string, events: list<array{position: int, leaf: string,
     *     personal: string|null, proof: list<string>, shown: mixed, path: string}>}
     */
    private static function parse(string $receipt): array
    {
        try {
            $whole = strlen($receipt) <= self::BYTES_MAX ? StrictJson::receipt($receipt) : null;
        } catch (\JsonException) {
            $whole = null;
        }
        self::demand($whole !== null, 'it is not JSON, or too long, or has a name twice in an object');
        $path = '';
        if ($whole instanceof \stdClass && property_exists($whole, 'data')) {
            $answer = self::fields($whole, '', ['success', 'data']);
            self::demand($answer['success'] === true, 'success must be true');
            [$whole, $path] = [$answer['data'], 'data'];
        }
        $data = self::fields($whole, $path, ['transactionId', 'checkpoint', 'events']);
        ['transactionId' => $id, 'checkpoint' => $checkpoint, 'events' => $events] = $data;
        $isId = is_string($id) && preg_match('/\A[cC][^\x00-\x20\x7f-]{8,63}\z/u', $id) === 1;
        self::demand($isId, self::path($path, 'transactionId') . ' must be an id');
        self::demand(is_string($checkpoint), self::path($path, 'checkpoint') . ' must be a text');
        self::demand(is_array($events), self::path($path, 'events') . ' must be a list');
        foreach ($events as $i => $each) {
            $events[$i] = self::event($each, self::path($path, 'events') . "[{$i}]");
        }
        return ['transactionId' => $id, 'checkpoint' => $checkpoint, 'events' => $events];
    }

    /**
     * @return array{position: int, leaf: string, personal: string|null, proof: list<string>, shown: mixed,
     *     path: string}
     */
    private static function event(mixed $given, string $path): array
    {
        $fields = self::fields($given, $path, ['position', 'leaf', 'personal', 'proof', 'event']);
        ['position' => $position, 'proof' => $proof] = $fields;
        $leaf = Texts::fromBase64($fields['leaf']);
        $personal = Texts::fromBase64($fields['personal']);
        self::demand(is_int($position) && $position >= 0, "{$path}.position must be a position: 1, 2, 3, …");
        self::demand(strlen($leaf ?? '') > self::DIGEST_BYTES, "{$path}.leaf must be a leaf in base64");
        $isPersonal = $fields['personal'] === null || ($personal ?? '') !== '';
        self::demand($isPersonal, "{$path}.personal must be null, or bytes in base64");
        $hashes = [];
        foreach (is_array($proof) && count($proof) <= self::PROOF_HASHES_MAX ? $proof : [null] as $each) {
            $hashes[] = $hash = Texts::fromBase64($each) ?? '';
            $isHash = strlen($hash) === self::DIGEST_BYTES;
            $most = self::PROOF_HASHES_MAX;
            self::demand($isHash, "{$path}.proof must be a list of at most {$most} hashes in base64");
        }
        return [
            'position' => $position,
            'leaf' => (string) $leaf,
            'personal' => $personal,
            'proof' => $hashes,
            'shown' => $fields['event'],
            'path' => "{$path}.event",
        ];
    }

    /**
     * @param array{position: int, leaf: string, personal: string|null, proof: list<string>, shown: mixed,
     *     path: string} $given
     * @param array{size: int, root: string} $checkpoint
     * @param list<array<string, mixed>> $before
     * @return array<string, mixed>
     */
    private static function checkEvent(array $given, string $transactionId, array $checkpoint, array $before): array
    {
        ['position' => $position, 'leaf' => $leaf, 'personal' => $personal] = $given;
        $where = "The event at position {$position}";
        if (!Merkle::isIncluded($leaf, $position, $checkpoint['size'], $given['proof'], $checkpoint['root'])) {
            throw new ReceiptRejected('not_included', "{$where} is not what the ledger has there.");
        }
        if ($personal !== null && hash('sha256', $personal, true) !== substr($leaf, -self::DIGEST_BYTES)) {
            throw new ReceiptRejected('personal_data_differ', "{$where} was recorded with other personal data.");
        }
        try {
            $event = ChargeEvents::read($position, substr($leaf, 0, -self::DIGEST_BYTES), $personal);
        } catch (UnreadableBytes) {
            throw new ReceiptRejected('unreadable_event', "{$where} means nothing to this release.");
        }
        self::checkPlace($event, $transactionId, $before, $where);
        $field = self::difference($event, $given['shown'], $given['path']);
        if ($field !== null) {
            throw new ReceiptRejected('shown_differs', "{$field} is not what the bytes of the event say.");
        }
        return $event;
    }

    /**
     * @param array<string, mixed> $event
     * @param list<array<string, mixed>> $before
     */
    private static function checkPlace(array $event, string $transactionId, array $before, string $where): void
    {
        $due = count($before) + 1;
        $isFirst = $before === [];
        $isCreation = $event['type'] === 'ChargeCreated';
        $problem = match (true) {
            $event['stream'] !== "charge-{$transactionId}" => "belongs to {$event['stream']}",
            $event['version'] !== $due => "is event {$event['version']} of its charge, where event {$due} was due",
            $isCreation !== $isFirst,
            $isFirst && $event['data']['transactionId'] !== $transactionId => 'is one that no charge has there',
            !$isFirst && $event['position'] <= $before[$due - 2]['position'] => 'is before the event in front of it',
            default => null,
        };
        if ($problem !== null) {
            throw new ReceiptRejected('wrong_event', "{$where} {$problem}.");
        }
    }

    /**
     * Checks that all events that the charge had in the tree of the checkpoint are present.
     *
     * @param array{statesStreams: bool, stream: array{name: string, events: int}|null} $checkpoint
     */
    private static function checkLength(string $transactionId, int $count, array $checkpoint): void
    {
        ['statesStreams' => $statesStreams, 'stream' => $stream] = $checkpoint;
        $problem = match (true) {
            !$statesStreams => null, // of 0.1.0
            $stream === null =>
                'Its checkpoint was not signed for a receipt: it does not state how many events there are.',
            $stream['name'] !== "charge-{$transactionId}" =>
                "Its checkpoint was signed for the receipt of {$stream['name']}.",
            $stream['events'] !== $count =>
                "It has {$count} of the charge's events, and its checkpoint was signed for {$stream['events']}.",
            default => null,
        };
        if ($problem !== null) {
            throw new ReceiptRejected('incomplete', $problem);
        }
    }

    /**
     * The path of the first field that differs; an event has objects in objects only.
     *
     * @param array<array-key, mixed> $said
     */
    private static function difference(array $said, mixed $shown, string $path): ?string
    {
        if (!$shown instanceof \stdClass) {
            return $path;
        }
        $fields = (array) $shown;
        foreach ($said as $name => $value) {
            $at = self::path($path, (string) $name);
            if (!array_key_exists($name, $fields)) {
                return $at;
            }
            $isSame = is_array($value) || $value === $fields[$name];
            $found = is_array($value) ? self::difference($value, $fields[$name], $at) : ($isSame ? null : $at);
            if ($found !== null) {
                return $found;
            }
        }
        $added = array_key_first(array_diff_key($fields, $said));
        return $added === null ? null : self::path($path, (string) $added);
    }

    /**
     * An object with exactly these fields: others would look as proven as they are.
     *
     * @param list<string> $names
     * @return array<string, mixed>
     */
    private static function fields(mixed $value, string $path, array $names): array
    {
        self::demand($value instanceof \stdClass, ($path === '' ? 'it' : $path) . ' must be an object');
        $fields = (array) $value;
        foreach ($names as $name) {
            self::demand(array_key_exists($name, $fields), self::path($path, $name) . ' is missing');
        }
        foreach (array_keys($fields) as $name) {
            $isField = in_array((string) $name, $names, true);
            self::demand($isField, self::path($path, (string) $name) . ' is no field of a receipt');
        }
        return $fields;
    }

    // A name unlike ours is not repeated: it may have any content and length.
    private static function path(string $parent, string $name): string
    {
        $shown = preg_match('/\A[0-9A-Za-z_]{1,64}\z/', $name) === 1 ? $name : '…';
        return $parent === '' ? $shown : "{$parent}.{$shown}";
    }

    private static function demand(bool $condition, string $problem): void
    {
        if (!$condition) {
            throw new ReceiptRejected('malformed_receipt', "It is not a receipt: {$problem}.");
        }
    }
}
