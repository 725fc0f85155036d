<?php

declare(strict_types=1);

namespace Pixledger\Internal;

/** See Pixledger\verifyReturn. */
final class Returns
{
    private const SIGNED = '/(?:\A|[?&])(session=([^&#=]+)&transaction=([^&#=]+)&status=([a-z_]+)&t=([0-9]{1,15}))'
        . '&sig=([A-Za-z0-9_-]{86})\z/';

    /**
     * @param array<mixed> $options
     * @return array{session: string, transaction: string, status: string, signedAt: string}|null
     */
    public static function verify(string $url, string $publicKey, array $options): ?array
    {
        Options::demandNames($options, ['session', 'toleranceSeconds', 'now']);
        $key = Texts::fromBase64($publicKey);
        if ($key === null || strlen($key) !== SODIUM_CRYPTO_SIGN_PUBLICKEYBYTES) {
            throw new \InvalidArgumentException('publicKey must be returnPublicKey of the store');
        }
        // An order without a session must not accept another session's address.
        $expected = $options['session'] ?? null;
        if (array_key_exists('session', $options) && !is_string($expected)) {
            throw new \InvalidArgumentException('session must be the id of a session');
        }
        $tolerance = Options::number($options, 'toleranceSeconds', 3600);
        if (preg_match(self::SIGNED, $url, $found) !== 1) {
            return null;
        }
        [, $text, $session, $transaction, $status, $time, $encoded] = $found;
        // One text for one signature: other encodings of the same bytes are rejected.
        $signature = Texts::fromBase64(strtr($encoded, '-_', '+/') . '==');
        if ($signature === null || !sodium_crypto_sign_verify_detached($signature, $text, $key)) {
            return null;
        }
        $isMeant = $expected === null || $session === $expected;
        if (!$isMeant || abs(Options::clock($options) - (int) $time) > $tolerance) {
            return null;
        }
        $signedAt = Texts::isoTime(1000 * (int) $time);
        return ['session' => $session, 'transaction' => $transaction, 'status' => $status, 'signedAt' => $signedAt];
    }
}
