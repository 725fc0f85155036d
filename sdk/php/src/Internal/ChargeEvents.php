<?php

declare(strict_types=1);

namespace Pixledger\Internal;

/**
 * The stored events of charges, from their bytes to the fields in a receipt.
 */
final class ChargeEvents
{
    private const NEWEST_SCHEMA_VERSION = 1;
    private const SALT_BYTES = 16;
    private const LAST_TIME = 253_402_300_799_999; // 9999-12-31T23:59:59.999Z
    private const ENVIRONMENTS = ['live', 'sandbox'];
    private const CODE_KINDS = [null, 'dynamic', 'static'];
    private const CODE_FALLBACKS = [null, 'static', 'none'];
    private const FLAGS = [null, 'PAID_AFTER_EXPIRY', 'PAID_AFTER_CLOSE', 'DUPLICATE_PAYMENT', 'AMOUNT_MISMATCH'];
    private const ID = '/\A[cC][^\x00-\x20\x7f-]{8,63}\z/u';
    private const END_TO_END_ID = '/\A[0-9A-Za-z]{32}\z/';
    private const REFUND_ID = '/\A[0-9A-Za-z]{1,35}\z/';

    /**
     * What the bytes of an envelope and of its personal data (null: there is no such data) say.
     *
     * @return array<string, mixed>
     * @throws UnreadableBytes
     */
    public static function read(int $position, string $envelopeBytes, ?string $personalBytes): array
    {
        $envelope = new FlatTable($envelopeBytes);
        $schemaVersion = $envelope->uint16(4);
        if ($schemaVersion === 0 || $schemaVersion > self::NEWEST_SCHEMA_VERSION) {
            throw new UnreadableBytes('schema_version');
        }
        [$type, $fields] = ChargeEventFields::EVENTS[$envelope->uint16(3)] ?? throw new UnreadableBytes('type');
        $project = self::matching(self::ID, $envelope->text(5));
        $facts = new FlatTable(self::given($envelope->vector(8)));
        $requestId = $envelope->text(7);
        return [
            'position' => $position,
            'stream' => self::given($envelope->text(1)),
            'version' => $envelope->uint32(2),
            'type' => $type,
            'recordedAt' => self::time($envelope->int64(0)),
            'actor' => self::given($envelope->text(6)),
            'requestId' => $requestId === '' ? null : $requestId,
            'data' => self::data($fields, $facts, self::personal($personalBytes) + ['project' => $project]),
        ];
    }

    /**
     * The status that the events, in their order, come to.
     *
     * @param list<array<string, mixed>> $events
     */
    public static function statusAfter(array $events): string
    {
        $status = '';
        $paidCents = null;
        $refundedCents = 0;
        $unappliedCents = []; // by end-to-end id
        $requestedCents = []; // of refunds, by their ids
        foreach ($events as ['type' => $type, 'data' => $data]) {
            $endToEndId = $data['endToEndId'] ?? '';
            $sentBackCents = match ($type) {
                'ChargeRefunded', 'PaymentReversed' => $data['amountCents'],
                'RefundDone' => $requestedCents[$data['refundId']] ?? 0,
                default => null,
            };
            $refundedCents += $sentBackCents ?? 0;
            $isAccepted = $type === 'UnappliedPaymentAccepted' && isset($unappliedCents[$endToEndId]);
            $paidCents = match (true) {
                $type === 'ChargePaid' => $data['amountCents'],
                $isAccepted => $unappliedCents[$endToEndId],
                $type === 'UnappliedPaymentAdded' && $paidCents !== null =>
                    $paidCents + ($unappliedCents[$endToEndId] ?? 0),
                default => $paidCents,
            };
            $status = match (true) {
                $type === 'ChargeCreated' => 'waiting_payment',
                $type === 'ChargePaid', $isAccepted => 'paid',
                $type === 'ChargeProcessingStarted' => 'processing',
                $type === 'ChargeExpired' => 'expired',
                $type === 'ChargeCancelled' => 'cancelled',
                $type === 'ChargeFailed' => 'failed',
                $sentBackCents !== null && $paidCents !== null && $refundedCents >= $paidCents => 'refunded',
                default => $status,
            };
            switch ($type) {
                case 'PaymentLeftUnapplied':
                    $unappliedCents[$endToEndId] = $data['amountCents'];
                    break;
                case 'UnappliedPaymentAccepted':
                case 'UnappliedPaymentAdded':
                case 'UnappliedPaymentReturned':
                    unset($unappliedCents[$endToEndId]);
                    break;
                case 'RefundRequested':
                    $requestedCents[$data['refundId']] = $data['amountCents'];
                    break;
            }
        }
        return $status;
    }

    /**
     * @param list<array{string, string, int, string}> $fields
     * @param array<string, mixed> $personal what is not among the facts, by its form
     * @return array<string, mixed>
     */
    private static function data(array $fields, FlatTable $facts, array $personal): array
    {
        $data = [];
        foreach ($fields as [$name, $form, $place, $absent]) {
            $isAbsent = $place >= 0 && $absent !== 'required' && !$facts->has($place);
            $value = match (true) {
                $place < 0 => $personal[$form],
                $isAbsent => null,
                default => self::fact($form, $facts, $place),
            };
            if ($value !== null || $absent !== 'left out') {
                $data[$name] = $value;
            }
        }
        return $data;
    }

    private static function fact(string $form, FlatTable $facts, int $place): string|int|bool|null
    {
        return match ($form) {
            'id' => self::matching(self::ID, $facts->text($place)),
            'endToEndId', 'returnId' => self::matching(self::END_TO_END_ID, $facts->text($place)),
            'refundId' => self::matching(self::REFUND_ID, $facts->text($place)),
            'text' => self::given($facts->text($place)),
            'uint32' => $facts->uint32($place),
            'bool' => $facts->uint8($place) !== 0 ?: null,
            'cents' => self::cents($facts->int64($place)),
            'time' => self::time($facts->int64($place)),
            'environment' => self::given(self::ENVIRONMENTS[$facts->uint8($place)] ?? null),
            'codeKind' => self::given(self::CODE_KINDS[$facts->uint8($place)] ?? null),
            'codeFallback' => self::given(self::CODE_FALLBACKS[$facts->uint8($place)] ?? null),
            'flag' => self::given(self::FLAGS[$facts->uint8($place)] ?? null),
        };
    }

    /** @return array{ip: string|null, reason: string|null, metadata: array<string, string>|null} */
    private static function personal(?string $bytes): array
    {
        if ($bytes === null) {
            return ['ip' => null, 'reason' => null, 'metadata' => null];
        }
        $table = new FlatTable($bytes);
        if (strlen($table->vector(0) ?? '') !== self::SALT_BYTES) {
            throw new UnreadableBytes('salt');
        }
        return ['ip' => $table->text(2), 'reason' => $table->text(3), 'metadata' => self::metadata($table->tables(6))];
    }

    /**
     * @param list<FlatTable>|null $entries
     * @return array<string, string>|null
     */
    private static function metadata(?array $entries): ?array
    {
        if ($entries === null) {
            return null;
        }
        $metadata = [];
        foreach ($entries as $entry) {
            $metadata[self::given($entry->text(0))] = self::given($entry->text(1));
        }
        return count($metadata) === count($entries) ? $metadata : throw new UnreadableBytes('metadata');
    }

    private static function given(?string $value): string
    {
        return $value ?? throw new UnreadableBytes('field');
    }

    private static function matching(string $form, ?string $text): string
    {
        return preg_match($form, self::given($text)) === 1 ? (string) $text : throw new UnreadableBytes('text');
    }

    private static function cents(int $cents): int
    {
        return $cents >= 0 ? $cents : throw new UnreadableBytes('cents');
    }

    private static function time(int $milliseconds): string
    {
        return $milliseconds >= 0 && $milliseconds <= self::LAST_TIME
            ? Texts::isoTime($milliseconds)
            : throw new UnreadableBytes('time');
    }
}
