<?php

declare(strict_types=1);

namespace Pixledger\Internal;

/**
 * The stored events of charges, from their bytes to the fields in a receipt. docs/reference/events.md is the source of
 * every number here.
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
    private const TYPES = [
        60 => 'ChargeCreated',
        61 => 'ChargePaid',
        62 => 'ChargeProcessingStarted',
        63 => 'ChargeExpired',
        64 => 'ChargeCancelled',
        65 => 'ChargeFailed',
        66 => 'ChargeRefunded',
        67 => 'PaymentLeftUnapplied',
        68 => 'UnappliedPaymentAccepted',
        69 => 'UnappliedPaymentReturned',
        70 => 'ChargeCodeSet',
        71 => 'ChargeCancelRequested',
        72 => 'ChargeCancelDropped',
        73 => 'RefundRequested',
        74 => 'RefundDone',
        75 => 'RefundFailed',
        76 => 'PaymentReversed',
        77 => 'UnappliedReturnRequested',
        78 => 'UnappliedReturnFailed',
        79 => 'UnappliedPaymentReversed',
        81 => 'UnappliedPaymentAdded',
    ];

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
        $type = self::TYPES[$envelope->uint16(3)] ?? throw new UnreadableBytes('type');
        $projectId = self::matching(self::ID, $envelope->text(5));
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
            'data' => self::data($type, $facts, self::personal($personalBytes), $projectId),
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
     * @param array{ip: string|null, reason: string|null, metadata: array<string, string>|null} $personal
     * @return array<string, mixed>
     */
    private static function data(string $type, FlatTable $facts, array $personal, string $projectId): array
    {
        $reason = $personal['reason'];
        return match ($type) {
            'ChargeCreated' => self::created($facts, $personal, $projectId),
            'ChargePaid' => [
                'endToEndId' => self::endToEndId($facts, 0),
                'amountCents' => self::cents($facts->int64(1)),
                'paidAt' => self::time($facts->int64(2)),
                'feeCents' => self::cents($facts->int64OrNull(3)),
            ],
            'ChargeFailed' => ['reason' => $reason],
            'ChargeRefunded' => [
                'amountCents' => self::cents($facts->int64(0)),
                'reason' => $reason,
            ] + self::present('refundId', $facts->text(1), self::REFUND_ID),
            'PaymentLeftUnapplied' => [
                'endToEndId' => self::endToEndId($facts, 0),
                'amountCents' => self::cents($facts->int64(1)),
                'paidAt' => self::time($facts->int64(2)),
                'flag' => self::given(self::FLAGS[$facts->uint8(3)] ?? null),
            ],
            'UnappliedPaymentAccepted', 'UnappliedPaymentAdded' => [
                'endToEndId' => self::endToEndId($facts, 0),
                'feeCents' => self::cents($facts->int64OrNull(1)),
            ],
            'UnappliedPaymentReturned' => [
                'endToEndId' => self::endToEndId($facts, 0),
                'reason' => $reason,
            ] + self::present('refundId', $facts->text(1), self::REFUND_ID)
                + ($facts->int64OrNull(2) === null ? [] : ['returnedAt' => self::time($facts->int64(2))]),
            'ChargeCodeSet' => [
                'kind' => self::given(self::CODE_KINDS[$facts->uint8(0)] ?? null),
                'pixCode' => self::given($facts->text(1)),
            ],
            'RefundRequested' => [
                'refundId' => self::matching(self::REFUND_ID, $facts->text(0)),
                'amountCents' => self::cents($facts->int64(1)),
                'reason' => $reason,
            ] + self::present('endToEndId', $facts->text(2), self::END_TO_END_ID),
            'RefundDone' => [
                'refundId' => self::matching(self::REFUND_ID, $facts->text(0)),
                'settledAt' => self::time($facts->int64(1)),
            ],
            'RefundFailed' => ['refundId' => self::matching(self::REFUND_ID, $facts->text(0))],
            'PaymentReversed' => [
                'refundId' => self::matching(self::REFUND_ID, $facts->text(0)),
                'returnId' => self::endToEndId($facts, 1),
                'amountCents' => self::cents($facts->int64(2)),
                'reversedAt' => self::time($facts->int64(3)),
            ] + self::present('endToEndId', $facts->text(4), self::END_TO_END_ID),
            'UnappliedReturnRequested', 'UnappliedReturnFailed' => [
                'refundId' => self::matching(self::REFUND_ID, $facts->text(0)),
                'endToEndId' => self::endToEndId($facts, 1),
                'reason' => $reason,
            ],
            'UnappliedPaymentReversed' => [
                'endToEndId' => self::endToEndId($facts, 0),
                'refundId' => self::matching(self::REFUND_ID, $facts->text(1)),
                'returnId' => self::endToEndId($facts, 2),
                'amountCents' => self::cents($facts->int64(3)),
                'reversedAt' => self::time($facts->int64(4)),
            ],
            default => [],
        };
    }

    /**
     * @param array{ip: string|null, reason: string|null, metadata: array<string, string>|null} $personal
     * @return array<string, mixed>
     */
    private static function created(FlatTable $facts, array $personal, string $projectId): array
    {
        $metadata = $personal['metadata'];
        return [
            'transactionId' => self::matching(self::ID, $facts->text(0)),
            'projectId' => $projectId,
            'environment' => self::given(self::ENVIRONMENTS[$facts->uint8(1)] ?? null),
            'customerId' => self::matching(self::ID, $facts->text(2)),
            'connectionId' => self::matching(self::ID, $facts->text(3)),
            'externalId' => $facts->text(4),
            'amountCents' => self::cents($facts->int64(5)),
            'product' => self::given($facts->text(6)),
            'quantity' => $facts->uint32(7),
            'originDomain' => self::given($facts->text(8)),
            'expiresAt' => self::time($facts->int64(9)),
            'pixCode' => self::given($facts->text(10)),
            'customerIp' => $personal['ip'],
        ] + ($metadata === null ? [] : ['metadata' => $metadata])
            + ($facts->uint8(11) === 0 ? [] : ['throughBank' => true])
            + ($facts->int64OrNull(12) === null ? [] : ['codeAwaitedUntil' => self::time($facts->int64(12))])
            + ($facts->has(13) ? ['codeFallback' => self::given(self::CODE_FALLBACKS[$facts->uint8(13)] ?? null)] : [])
            + ($facts->has(14) ? ['checkoutSessionId' => self::matching(self::ID, $facts->text(14))] : []);
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

    private static function endToEndId(FlatTable $facts, int $field): string
    {
        return self::matching(self::END_TO_END_ID, $facts->text($field));
    }

    /** @return array<string, string> */
    private static function present(string $name, ?string $text, string $form): array
    {
        return $text === null ? [] : [$name => self::matching($form, $text)];
    }

    private static function cents(?int $cents): ?int
    {
        return $cents === null || $cents >= 0 ? $cents : throw new UnreadableBytes('cents');
    }

    private static function time(int $milliseconds): string
    {
        return $milliseconds >= 0 && $milliseconds <= self::LAST_TIME
            ? Texts::isoTime($milliseconds)
            : throw new UnreadableBytes('time');
    }
}
