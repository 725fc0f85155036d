<?php

declare(strict_types=1);

namespace Pixledger\Internal;

/**
 * Made by scripts/lib/sdk/charge_events.mjs.
 *
 * Each field: its name in receipts, its form, its place in the facts, and what it is when absent.
 */
final class ChargeEventFields
{
    /** By type: its name and fields. */
    public const EVENTS = [
        60 => ['ChargeCreated', [
            ['transactionId', 'id', 0, 'required'],
            ['projectId', 'project', -1, 'required'],
            ['environment', 'environment', 1, 'required'],
            ['customerId', 'id', 2, 'required'],
            ['connectionId', 'id', 3, 'required'],
            ['externalId', 'text', 4, 'null'],
            ['amountCents', 'cents', 5, 'required'],
            ['product', 'text', 6, 'required'],
            ['quantity', 'uint32', 7, 'required'],
            ['originDomain', 'text', 8, 'required'],
            ['expiresAt', 'time', 9, 'required'],
            ['pixCode', 'text', 10, 'required'],
            ['customerIp', 'ip', -1, 'null'],
            ['metadata', 'metadata', -1, 'left out'],
            ['throughBank', 'bool', 11, 'left out'],
            ['codeAwaitedUntil', 'time', 12, 'left out'],
            ['codeFallback', 'codeFallback', 13, 'left out'],
            ['checkoutSessionId', 'id', 14, 'left out'],
        ]],
        61 => ['ChargePaid', [
            ['endToEndId', 'endToEndId', 0, 'required'],
            ['amountCents', 'cents', 1, 'required'],
            ['paidAt', 'time', 2, 'required'],
            ['feeCents', 'cents', 3, 'null'],
        ]],
        62 => ['ChargeProcessingStarted', []],
        63 => ['ChargeExpired', []],
        64 => ['ChargeCancelled', []],
        65 => ['ChargeFailed', [
            ['reason', 'reason', -1, 'null'],
        ]],
        66 => ['ChargeRefunded', [
            ['amountCents', 'cents', 0, 'required'],
            ['reason', 'reason', -1, 'null'],
            ['refundId', 'refundId', 1, 'left out'],
        ]],
        67 => ['PaymentLeftUnapplied', [
            ['endToEndId', 'endToEndId', 0, 'required'],
            ['amountCents', 'cents', 1, 'required'],
            ['paidAt', 'time', 2, 'required'],
            ['flag', 'flag', 3, 'required'],
        ]],
        68 => ['UnappliedPaymentAccepted', [
            ['endToEndId', 'endToEndId', 0, 'required'],
            ['feeCents', 'cents', 1, 'null'],
        ]],
        69 => ['UnappliedPaymentReturned', [
            ['endToEndId', 'endToEndId', 0, 'required'],
            ['reason', 'reason', -1, 'null'],
            ['refundId', 'refundId', 1, 'left out'],
            ['returnedAt', 'time', 2, 'left out'],
        ]],
        70 => ['ChargeCodeSet', [
            ['kind', 'codeKind', 0, 'required'],
            ['pixCode', 'text', 1, 'required'],
        ]],
        71 => ['ChargeCancelRequested', []],
        72 => ['ChargeCancelDropped', []],
        73 => ['RefundRequested', [
            ['refundId', 'refundId', 0, 'required'],
            ['amountCents', 'cents', 1, 'required'],
            ['reason', 'reason', -1, 'null'],
            ['endToEndId', 'endToEndId', 2, 'left out'],
        ]],
        74 => ['RefundDone', [
            ['refundId', 'refundId', 0, 'required'],
            ['settledAt', 'time', 1, 'required'],
        ]],
        75 => ['RefundFailed', [
            ['refundId', 'refundId', 0, 'required'],
        ]],
        76 => ['PaymentReversed', [
            ['refundId', 'refundId', 0, 'required'],
            ['returnId', 'returnId', 1, 'required'],
            ['amountCents', 'cents', 2, 'required'],
            ['reversedAt', 'time', 3, 'required'],
            ['endToEndId', 'endToEndId', 4, 'left out'],
        ]],
        77 => ['UnappliedReturnRequested', [
            ['refundId', 'refundId', 0, 'required'],
            ['endToEndId', 'endToEndId', 1, 'required'],
            ['reason', 'reason', -1, 'null'],
        ]],
        78 => ['UnappliedReturnFailed', [
            ['refundId', 'refundId', 0, 'required'],
            ['endToEndId', 'endToEndId', 1, 'required'],
            ['reason', 'reason', -1, 'null'],
        ]],
        79 => ['UnappliedPaymentReversed', [
            ['endToEndId', 'endToEndId', 0, 'required'],
            ['refundId', 'refundId', 1, 'required'],
            ['returnId', 'returnId', 2, 'required'],
            ['amountCents', 'cents', 3, 'required'],
            ['reversedAt', 'time', 4, 'required'],
        ]],
        81 => ['UnappliedPaymentAdded', [
            ['endToEndId', 'endToEndId', 0, 'required'],
            ['feeCents', 'cents', 1, 'null'],
        ]],
    ];
}
