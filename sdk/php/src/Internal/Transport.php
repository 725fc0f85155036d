<?php

declare(strict_types=1);

namespace Pixledger\Internal;

use Pixledger\ApiError;
use Pixledger\ConnectionError;
use Pixledger\PixledgerError;
use Pixledger\TimeoutError;

/** Sends requests, and repeats them where that is safe. */
final class Transport
{
    public const CALL_OPTIONS = ['idempotencyKey', 'timeout', 'retries', 'requestId'];
    private const USER_AGENT = 'pixledger-sdk-php/0.2.0';
    private const FIRST_PAUSE_MS = 250;
    private const LONGEST_PAUSE_MS = 8_000;
    // A server that requests a longer pause is not waited for: the call fails, or retries after this one.
    private const LONGEST_RETRY_AFTER_MS = 60_000;
    // 502 and 504 come from an intermediary that got no reply itself.
    private const TEMPORARY = [429, 502, 503, 504];
    // libcurl's errors of TLS: the certificate, its host name, the protocol, the file of certificates to trust.
    private const OF_TLS = [35, 51, 53, 54, 58, 59, 60, 64, 66, 77, 80, 82, 83, 90, 91];

    private readonly string $base;
    private readonly int|float $timeout;
    private readonly int $retries;
    private readonly ?string $caFile;

    /** @param array<mixed> $options */
    public function __construct(
        private readonly ApiKey $apiKey,
        #[\SensitiveParameter] string $baseUrl,
        array $options,
    ) {
        Options::demandNames($options, ['timeout', 'retries', 'allowHttp', 'caFile']);
        $this->base = self::checkedBase($baseUrl, ($options['allowHttp'] ?? false) === true);
        $this->timeout = Options::number($options, 'timeout', 30, isAboveZero: true);
        $this->retries = Options::count($options, 'retries', 4);
        $caFile = $options['caFile'] ?? null;
        if ($caFile !== null && !(is_string($caFile) && is_file($caFile) && is_readable($caFile))) {
            throw new \InvalidArgumentException('caFile must be a file of certificates');
        }
        $this->caFile = $caFile;
    }

    /**
     * The text of a success. `retries` may be PHP_INT_MAX: without end.
     *
     * @param array<mixed> $options
     * @param array<mixed>|null $query
     * @param array<mixed>|null $body
     */
    public function send(
        string $method,
        string $path,
        array $options,
        ?array $query,
        ?array $body,
        bool $isPublic,
    ): string {
        Options::demandNames($options, self::CALL_OPTIONS);
        $url = $this->base . $path . Wire::search($query ?? []);
        $headers = $this->headers($method, $body !== null, $options);
        $text = $body === null ? null : Wire::json($body);
        // The server waits as long as requested, without a time-out meanwhile.
        $timeout = Options::number($options, 'timeout', $this->timeout, isAboveZero: true);
        $timeout += is_int($query['wait'] ?? null) ? $query['wait'] : 0;
        $retries = Options::count($options, 'retries', $this->retries);
        $mayBeDone = false;
        for ($attempt = 0; ; $attempt += 1) {
            try {
                return $this->attempt($method, $url, $headers, $text, $timeout, $isPublic);
            } catch (ConnectionError | ApiError $error) {
                // A repeated DELETE finds nothing any more: the item is gone as requested; its reply is lost.
                if ($method === 'DELETE' && $mayBeDone && $error instanceof ApiError && $error->status === 404) {
                    return '{"data":null}';
                }
                $pauseMs = self::pauseBefore($attempt, $error);
                $isTooLong = $pauseMs > self::LONGEST_RETRY_AFTER_MS && $retries !== PHP_INT_MAX;
                if ($attempt >= $retries || $isTooLong || !self::isTemporary($error)) {
                    throw $error;
                }
                $mayBeDone = $mayBeDone || !$error instanceof ApiError || $error->status >= 500;
                self::pause(min($pauseMs, self::LONGEST_RETRY_AFTER_MS));
            }
        }
    }

    /**
     * @param array<mixed> $options
     * @return list<string>
     */
    private function headers(string $method, bool $hasBody, array $options): array
    {
        // An empty Expect: no pause for "100 Continue", which not every intermediary sends.
        $headers = ['Accept: application/json', 'User-Agent: ' . self::USER_AGENT, 'Expect:'];
        $requestId = Options::header($options, 'requestId', 255);
        if ($requestId !== null) {
            $headers[] = "X-Request-Id: {$requestId}";
        }
        $key = Options::header($options, 'idempotencyKey', 255);
        if ($method === 'POST' || $method === 'PATCH') {
            // One key for all attempts, so that they count as one.
            $headers[] = 'Idempotency-Key: ' . ($key ?? self::uuid());
        }
        if ($hasBody) {
            $headers[] = 'Content-Type: application/json';
        }
        return $headers;
    }

    /** @param list<string> $headers */
    private function attempt(
        string $method,
        string $url,
        array $headers,
        ?string $body,
        int|float $timeout,
        bool $isPublic,
    ): string {
        // A handle of its own: libcurl repeats a request by itself when a kept connection turns out to be closed, and a
        // repeat that nobody knows of makes "not found" of a DELETE that was done.
        $handle = curl_init($url);
        if ($handle === false) {
            throw new ConnectionError('No answer: curl cannot be used.');
        }
        $answerHeaders = [];
        $milliseconds = (int) max(1, min(PHP_INT_MAX >> 32, ceil(1000 * $timeout)));
        curl_setopt_array($handle, [
            CURLOPT_CUSTOMREQUEST => $method,
            CURLOPT_RETURNTRANSFER => true,
            CURLOPT_FOLLOWLOCATION => false,
            CURLOPT_PROTOCOLS => CURLPROTO_HTTP | CURLPROTO_HTTPS,
            CURLOPT_HTTP_VERSION => CURL_HTTP_VERSION_1_1,
            CURLOPT_PATH_AS_IS => true,
            CURLOPT_SSL_VERIFYPEER => true,
            CURLOPT_SSL_VERIFYHOST => 2,
            CURLOPT_CONNECTTIMEOUT_MS => $milliseconds,
            CURLOPT_TIMEOUT_MS => $milliseconds,
            CURLOPT_NOSIGNAL => true,
            CURLOPT_HEADERFUNCTION => static function (\CurlHandle $handle, string $line) use (&$answerHeaders): int {
                if (str_starts_with($line, 'HTTP/')) {
                    $answerHeaders = []; // what came before was that of a proxy, or preliminary
                }
                [$name, $value] = explode(':', $line, 2) + [1 => ''];
                $answerHeaders[strtolower($name)] ??= trim($value);
                return strlen($line);
            },
        ]);
        if ($body !== null) {
            curl_setopt($handle, CURLOPT_POSTFIELDS, $body);
        } elseif ($method === 'POST' || $method === 'PATCH') {
            $headers[] = 'Content-Length: 0';
        }
        if ($this->caFile !== null) {
            curl_setopt($handle, CURLOPT_CAINFO, $this->caFile);
            // Else the system's directory of certificates is trusted, too.
            curl_setopt($handle, CURLOPT_CAPATH, dirname($this->caFile));
        }
        if (str_starts_with($url, 'http:')) {
            // A proxy of the environment would get the key in plain text.
            curl_setopt($handle, CURLOPT_PROXY, '');
        }
        curl_setopt($handle, CURLOPT_HTTPHEADER, $isPublic ? $headers : [...$headers, $this->apiKey->header()]);
        $text = curl_exec($handle);
        if (!is_string($text)) {
            throw self::errorOfCurl(curl_errno($handle), $timeout);
        }
        $status = curl_getinfo($handle, CURLINFO_RESPONSE_CODE);
        return $status < 300 ? $text : throw self::errorOf($status, $text, $answerHeaders);
    }

    private static function errorOfCurl(int $code, int|float $timeout): ConnectionError
    {
        return $code === CURLE_OPERATION_TIMEDOUT
            ? new TimeoutError("No answer within {$timeout} s.")
            : new ConnectionError('No answer: ' . curl_strerror($code) . '.', !in_array($code, self::OF_TLS, true));
    }

    /** @param array<string, string> $headers */
    private static function errorOf(int $status, string $text, array $headers): ApiError
    {
        $body = json_decode($text, true);
        $body = is_array($body) ? $body : []; // a reply of an intermediary, such as a proxy
        $textOf = static fn (string $name): ?string => is_string($body[$name] ?? null) ? $body[$name] : null;
        $details = [];
        foreach (is_array($body['details'] ?? null) ? $body['details'] : [] as $each) {
            if (is_string($each['field'] ?? null) && is_string($each['reason'] ?? null)) {
                $details[] = $each;
            }
        }
        return new ApiError(
            $status,
            $textOf('code') ?? "ERR_HTTP_{$status}",
            $textOf('message') ?? "The server answered {$status}.",
            $details,
            $textOf('requestId') ?? $headers['x-request-id'] ?? null,
            self::retryAfterMs($headers['retry-after'] ?? ''),
        );
    }

    // Seconds or an HTTP date (RFC 9110 §10.2.3), in milliseconds.
    private static function retryAfterMs(string $value): ?int
    {
        if (preg_match('/\A[0-9]{1,12}\z/', $value) === 1) {
            return 1000 * (int) $value;
        }
        $utc = new \DateTimeZone('UTC');
        $date = \DateTimeImmutable::createFromFormat('D, d M Y H:i:s \G\M\T', $value, $utc);
        return $date === false ? null : max(0, 1000 * ($date->getTimestamp() - time()));
    }

    // Whether the same request may succeed later.
    private static function isTemporary(PixledgerError $error): bool
    {
        if (!$error instanceof ApiError) {
            return $error instanceof ConnectionError && $error->isTemporary;
        }
        return in_array($error->status, self::TEMPORARY, true)
            || ($error->status === 409 && $error->errorCode === 'ERR_IDEMPOTENCY_002');
    }

    private static function pauseBefore(int $attempt, PixledgerError $error): int
    {
        // The whole pause is random, so that many callers do not come back at once.
        $most = min(self::LONGEST_PAUSE_MS, self::FIRST_PAUSE_MS * 2 ** min($attempt, 10));
        return max($error instanceof ApiError ? $error->retryAfterMs ?? 0 : 0, random_int(0, $most));
    }

    private static function pause(int $milliseconds): void
    {
        // A signal ends a sleep.
        $end = hrtime(true) + 1_000_000 * $milliseconds;
        while (($left = $end - hrtime(true)) > 0) {
            usleep(max(1, intdiv($left, 1000)));
        }
    }

    private static function uuid(): string
    {
        $bytes = random_bytes(16);
        $bytes[6] = chr(ord($bytes[6]) & 0x0f | 0x40);
        $bytes[8] = chr(ord($bytes[8]) & 0x3f | 0x80);
        return vsprintf('%s%s-%s-%s-%s-%s%s%s', str_split(bin2hex($bytes), 4));
    }

    // Strict: curl and PHP must not read two hosts in one address.
    private static function checkedBase(#[\SensitiveParameter] string $baseUrl, bool $allowHttp): string
    {
        $host = '(?<host>[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?|\[[0-9a-f:.]+\])';
        $form = "~\A(?<scheme>https?)://{$host}(?::[0-9]{1,5})?(?:/[A-Za-z0-9._\\~!\$&'()*+,;=:/%-]*)?\z~i";
        if (preg_match($form, $baseUrl, $parts) !== 1) {
            throw new \InvalidArgumentException(
                'baseUrl must be an address such as https://pay.example.com, with neither credentials nor query',
            );
        }
        $isLoopback = preg_match('/\A(?:localhost|\[::1\]|127(?:\.[0-9]{1,3}){3})\z/i', $parts['host']) === 1;
        if (strtolower($parts['scheme']) === 'http' && !$allowHttp && !$isLoopback) {
            throw new \InvalidArgumentException(
                'baseUrl must be https: the API key would travel in plain text (allowHttp permits it)',
            );
        }
        return strtolower($parts['scheme']) . substr(rtrim($baseUrl, '/'), strlen($parts['scheme']));
    }
}
