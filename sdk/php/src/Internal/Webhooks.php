<?php

declare(strict_types=1);

namespace Pixledger\Internal;

/** See Pixledger\verifyWebhook. */
final class Webhooks
{
    private const OWN_HEADERS = ['x-webhook-signature', 'x-webhook-signature-next', 'x-webhook-signature-between'];
    private const VERSIONS = ['v1', 'v2', 'standard'];
    private const SIGNATURES_MAX = 8; // more than any webhook has

    /**
     * The webhook, or why it must not be trusted.
     *
     * @param array<mixed> $headers
     * @param non-empty-list<string> $secrets
     * @param array<mixed> $options
     * @return array<string, mixed>|Rejection
     */
    public static function verify(
        #[\SensitiveParameter] string $body,
        #[\SensitiveParameter] array $headers,
        #[\SensitiveParameter] array $secrets,
        array $options,
    ): array|Rejection {
        Options::demandNames($options, ['toleranceSeconds', 'versions', 'now']);
        $tolerance = Options::number($options, 'toleranceSeconds', 300);
        $versions = $options['versions'] ?? self::VERSIONS;
        if (!is_array($versions) || array_diff($versions, self::VERSIONS) !== []) {
            throw new \InvalidArgumentException('versions must be a list of ' . implode(', ', self::VERSIONS));
        }
        $headers = self::named($headers);
        $signatures = self::signatures($headers);
        if ($signatures instanceof Rejection) {
            return $signatures;
        }
        foreach ($signatures as $each) {
            if (!in_array($each['version'], $versions, true)) {
                $message = 'The form of the webhook’s signature is not accepted here.';
                return new Rejection('unsupported_version', $message);
            }
        }
        // The signature first, so that callers without the secret learn nothing about the clock.
        $signature = self::matching($signatures, $body, $secrets);
        if ($signature === null) {
            $message = 'The webhook’s signature fits neither body nor secret. Was the raw body given?';
            return new Rejection('signature_mismatch', $message);
        }
        $time = $signature['time'];
        $age = $time === null ? 0 : (int) floor(Options::clock($options)) - (int) $time;
        if (abs($age) > $tolerance) {
            $message = "The webhook was signed {$age} s ago, which is not within the tolerance.";
            return new Rejection('timestamp_out_of_range', $message);
        }
        $webhook = self::parsed($body);
        if ($webhook instanceof Rejection) {
            return $webhook;
        }
        $webhook['delivery'] = [
            // In Standard Webhooks webhook-id is signed.
            'id' => $headers[$signature['version'] === 'standard' ? 'webhook-id' : 'x-webhook-id'] ?? null,
            'attempt' => self::count($headers['x-webhook-attempt'] ?? ''),
            'sequence' => self::count($headers['x-webhook-sequence'] ?? ''),
            'version' => $signature['version'],
            'signedAt' => $time === null ? null : Texts::isoTime(1000 * (int) $time),
        ];
        return $webhook;
    }

    /**
     * Names in lower case with hyphens; those of $_SERVER (HTTP_X_WEBHOOK_ID) and WordPress (x_webhook_id), too.
     *
     * @param array<mixed> $headers
     * @return array<string, string>
     */
    private static function named(#[\SensitiveParameter] array $headers): array
    {
        $named = [];
        foreach ($headers as $name => $value) {
            $name = strtr(strtolower((string) $name), '_', '-');
            $name = str_starts_with($name, 'http-') ? substr($name, 5) : $name;
            $texts = array_filter(is_array($value) ? $value : [$value], 'is_string');
            if ($texts !== []) {
                $named[$name] = implode(', ', $texts);
            }
        }
        return $named;
    }

    /**
     * @param array<string, string> $headers
     * @return list<array{version: string, time: string|null, before: string, mac: string}>|Rejection
     */
    private static function signatures(array $headers): array|Rejection
    {
        $given = array_intersect_key($headers, array_flip(self::OWN_HEADERS));
        if ($given === []) {
            return self::standardSignatures($headers);
        }
        $texts = [];
        foreach (self::OWN_HEADERS as $name) {
            array_push($texts, ...(isset($given[$name]) ? explode(' ', $given[$name]) : []));
        }
        $signatures = [];
        foreach (array_slice($texts, 0, self::SIGNATURES_MAX) as $text) {
            if (preg_match('/\A[0-9a-f]{64}\z/', $text) === 1) {
                $signatures[] = ['version' => 'v1', 'time' => null, 'before' => '', 'mac' => (string) hex2bin($text)];
            } elseif (preg_match('/\At=([0-9]{1,12}),v1=([0-9a-f]{64})\z/', $text, $parts) === 1) {
                [, $time, $mac] = $parts;
                $mac = (string) hex2bin($mac);
                $signatures[] = ['version' => 'v2', 'time' => $time, 'before' => "{$time}.", 'mac' => $mac];
            } else {
                $message = 'The webhook’s signature has none of the known forms.';
                return new Rejection('malformed_signature', $message);
            }
        }
        return $signatures;
    }

    /**
     * Those of https://www.standardwebhooks.com.
     *
     * @param array<string, string> $headers
     * @return list<array{version: string, time: string|null, before: string, mac: string}>|Rejection
     */
    private static function standardSignatures(array $headers): array|Rejection
    {
        if (!isset($headers['webhook-id'], $headers['webhook-timestamp'], $headers['webhook-signature'])) {
            return new Rejection('missing_header', 'The webhook has no X-Webhook-Signature.');
        }
        $time = $headers['webhook-timestamp'];
        $malformed = new Rejection('malformed_signature', 'The webhook’s signature is not that of Standard Webhooks.');
        if (preg_match('/\A[0-9]{1,12}\z/', $time) !== 1) {
            return $malformed;
        }
        $signatures = [];
        foreach (array_slice(explode(' ', $headers['webhook-signature']), 0, self::SIGNATURES_MAX) as $text) {
            if (str_starts_with($text, 'v1a,')) {
                continue; // of a public key
            }
            $mac = str_starts_with($text, 'v1,') ? Texts::fromBase64(substr($text, 3)) : null;
            if ($mac === null || strlen($mac) !== 32) {
                return $malformed;
            }
            $before = "{$headers['webhook-id']}.{$time}.";
            $signatures[] = ['version' => 'standard', 'time' => $time, 'before' => $before, 'mac' => $mac];
        }
        return $signatures === [] ? $malformed : $signatures;
    }

    /**
     * Computes all of them whatever the first result, so that the time reveals nothing.
     *
     * @param list<array{version: string, time: string|null, before: string, mac: string}> $signatures
     * @param list<string> $secrets
     * @return array{version: string, time: string|null, before: string, mac: string}|null
     */
    private static function matching(
        array $signatures,
        #[\SensitiveParameter] string $body,
        #[\SensitiveParameter] array $secrets,
    ): ?array {
        $found = null;
        foreach ($signatures as $signature) {
            foreach ($secrets as $secret) {
                $key = $signature['version'] === 'standard' ? self::standardKey($secret) : $secret;
                $mac = hash_hmac('sha256', $signature['before'] . $body, $key, true);
                // A secret that is no key has an empty one, as anyone has.
                if (hash_equals($mac, $signature['mac']) && $key !== '') {
                    $found = $signature;
                }
            }
        }
        return $found;
    }

    private static function standardKey(#[\SensitiveParameter] string $secret): string
    {
        return (str_starts_with($secret, 'whsec_') ? Texts::fromBase64(substr($secret, 6)) : null) ?? '';
    }

    /**
     * Rejects a signed text that is not the JSON of a webhook. This is part of the proof: v2 signs "<t>.<body>", and
     * an attacker who has seen a v2 webhook could present exactly that text as a body with the v1 form.
     *
     * @return array<string, mixed>|Rejection
     */
    private static function parsed(#[\SensitiveParameter] string $body): array|Rejection
    {
        try {
            $webhook = StrictJson::webhook($body);
        } catch (\JsonException) {
            return new Rejection('malformed_body', 'The webhook’s body is not JSON.');
        }
        if (!is_array($webhook) || !is_string($webhook['event'] ?? null)) {
            return new Rejection('malformed_body', 'The webhook’s body is not that of a webhook.');
        }
        return $webhook;
    }

    private static function count(string $text): ?int
    {
        return preg_match('/\A[0-9]{1,15}\z/', $text) === 1 ? (int) $text : null;
    }
}
