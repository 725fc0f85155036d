<?php

declare(strict_types=1);

namespace Pixledger\Internal;

/** Checkpoints: C2SP tlog-checkpoint in C2SP signed-note, with Ed25519. */
final class Checkpoints
{
    private const NOTE_BYTES_MAX = 64 * 1024;
    private const KEY_ID_BYTES = 4;
    private const ED25519 = "\x01";

    /**
     * @return array{ok: true, origin: string, size: int, rootHash: string,
     *     stream: array{name: string, events: int}|null}|array{ok: false, reason: 'not_signed', message: string}
     */
    public static function verify(mixed $checkpoint, mixed $publicKey): array
    {
        $key = self::parseKey($publicKey);
        if (!is_string($checkpoint)) {
            throw new \InvalidArgumentException('checkpoint must be the text of a checkpoint');
        }
        $opened = self::open($checkpoint, $key);
        if ($opened === null) {
            $message = 'It is not a checkpoint that the key has signed.';
            return ['ok' => false, 'reason' => 'not_signed', 'message' => $message];
        }
        return [
            'ok' => true,
            'origin' => $opened['origin'],
            'size' => $opened['size'],
            'rootHash' => bin2hex($opened['root']),
            'stream' => $opened['stream'],
        ];
    }

    /**
     * The 32 bytes, and the ledger's name from the line; a bare key has no name.
     *
     * @return array{name: string|null, key: string}
     */
    public static function parseKey(mixed $given): array
    {
        if (is_string($given) && strlen($given) === SODIUM_CRYPTO_SIGN_PUBLICKEYBYTES) {
            return ['name' => null, 'key' => $given];
        }
        $line = '/\A([!-*,-~]+)\+([0-9a-f]{8})\+([^\n]+)\n?\z/'; // a name is visible ASCII other than plus
        if (is_string($given) && preg_match($line, $given, $parts) === 1) {
            $bytes = Texts::fromBase64($parts[3]);
            $key = substr((string) $bytes, 1);
            $isKey = $bytes === self::ED25519 . $key && strlen($key) === SODIUM_CRYPTO_SIGN_PUBLICKEYBYTES;
            if ($isKey && bin2hex(self::keyId($parts[1], $key)) === $parts[2]) {
                return ['name' => $parts[1], 'key' => $key];
            }
        }
        throw new \InvalidArgumentException(
            'publicKey must be the line that `pixledger checkpoint --public-key` prints, '
                . 'or the 32 bytes of an Ed25519 key',
        );
    }

    /**
     * A checkpoint that the key has signed; null for anything else. `stream` is that of a receipt's, else null; those
     * of 0.1.0 do not say which they are (`statesStreams`).
     *
     * @param array{name: string|null, key: string} $key
     * @return array{origin: string, size: int, root: string, statesStreams: bool,
     *     stream: array{name: string, events: int}|null}|null
     */
    public static function open(string $note, array $key): ?array
    {
        $origin = explode("\n", $note, 2)[0];
        if ($key['name'] === null ? !self::isOrigin($origin) : $key['name'] !== $origin) {
            return null;
        }
        $text = self::openNote($note, $origin, $key['key']);
        $lines = explode("\n", $text ?? '');
        // The last line ends, and none is empty.
        if (array_pop($lines) !== '' || count($lines) < 3 || in_array('', $lines, true)) {
            return null;
        }
        $size = preg_match('/\A(0|[1-9][0-9]{0,15})\z/', $lines[1]) === 1 ? (int) $lines[1] : null;
        $root = Texts::fromBase64($lines[2]);
        if ($size === null || $size > Texts::SAFE_MAX || $root === null || strlen($root) !== 32) {
            return null;
        }
        $stated = self::stream(array_slice($lines, 3));
        return $stated === null ? null : ['origin' => $origin, 'size' => $size, 'root' => $root] + $stated;
    }

    private static function isOrigin(string $origin): bool
    {
        return preg_match('~\Apixledger/[0-9a-f]{32}/(0|[1-9][0-9]{0,9})\z~', $origin, $parts) === 1
            && (int) $parts[1] < 2 ** 32;
    }

    private static function keyId(string $name, string $key): string
    {
        return substr(hash('sha256', "{$name}\n" . self::ED25519 . $key, true), 0, self::KEY_ID_BYTES);
    }

    // The text that the key has signed; null for anything else. Ignores signatures of other keys.
    private static function openNote(string $note, string $name, string $key): ?string
    {
        // A note has no control character, and is UTF-8.
        $isText = preg_match('//u', $note) === 1 && preg_match('/[\x00-\x09\x0b-\x1f]/', $note) === 0;
        $gap = strrpos($note, "\n\n");
        if (!$isText || $gap === false || strlen($note) > self::NOTE_BYTES_MAX) {
            return null;
        }
        $lines = explode("\n", substr($note, $gap + 2));
        if (array_pop($lines) !== '' || $lines === []) { // the last line ends, too
            return null;
        }
        $text = substr($note, 0, $gap + 1);
        $keyId = self::keyId($name, $key);
        $isSigned = false;
        foreach ($lines as $line) {
            if (!str_starts_with($line, '— ')) {
                return null;
            }
            if (!str_starts_with($line, "— {$name} ")) {
                continue;
            }
            $bytes = Texts::fromBase64(substr($line, strlen("— {$name} ")));
            if ($bytes === null) {
                return null;
            }
            if (!str_starts_with($bytes, $keyId)) {
                continue;
            }
            $signature = substr($bytes, self::KEY_ID_BYTES);
            $isRight = strlen($signature) === SODIUM_CRYPTO_SIGN_BYTES
                && sodium_crypto_sign_verify_detached($signature, $text, $key);
            if (!$isRight) {
                return null;
            }
            $isSigned = true;
        }
        return $isSigned ? $text : null;
    }

    /**
     * What the line about streams says; null for another form of it, or a second one.
     *
     * @param list<string> $extensions
     * @return array{statesStreams: bool, stream: array{name: string, events: int}|null}|null
     */
    private static function stream(array $extensions): ?array
    {
        $isOfStream = static fn (string $line): bool => str_starts_with($line, 'stream ');
        $lines = array_values(array_filter($extensions, $isOfStream));
        if ($lines === []) {
            return ['statesStreams' => false, 'stream' => null];
        }
        if ($lines === ['stream - 0']) {
            return ['statesStreams' => true, 'stream' => null];
        }
        $form = '/\Astream ([a-z]+-[^ ]+) ([1-9][0-9]{0,9})\z/';
        if (count($lines) > 1 || preg_match($form, $lines[0], $parts) !== 1 || (int) $parts[2] >= 2 ** 32) {
            return null;
        }
        return ['statesStreams' => true, 'stream' => ['name' => $parts[1], 'events' => (int) $parts[2]]];
    }
}
