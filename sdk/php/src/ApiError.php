<?php

declare(strict_types=1);

namespace Pixledger;

/**
 * The API rejected the request. Its documents have `status` and `errorCode`; the message names the fields that were
 * rejected. Reasons contain no personal data.
 */
class ApiError extends PixledgerError
{
    /**
     * @param string $errorCode such as ERR_TRANSACTION_002; ERR_HTTP_… if an intermediary answered
     * @param list<array{field: string, reason: string, resumeAfter?: string}> $details every violation of a body or
     *     query; `resumeAfter`: for ERR_CURSOR_001, where the feed continues
     */
    public function __construct(
        public readonly int $status,
        public readonly string $errorCode,
        string $message,
        public readonly array $details = [],
        public readonly ?string $requestId = null,
        public readonly ?int $retryAfterMs = null,
    ) {
        parent::__construct(self::withFields($message, $details));
    }

    /** All that helps to find the cause, for logs that write errors as text. */
    public function __toString(): string
    {
        $request = $this->requestId === null ? '' : " (request {$this->requestId})";
        return static::class . ": {$this->status} {$this->errorCode}: {$this->message}{$request}"
            . " in {$this->file}:{$this->line}\nStack trace:\n{$this->getTraceAsString()}";
    }

    /** @param list<array{field: string, reason: string, resumeAfter?: string}> $details */
    private static function withFields(string $message, array $details): string
    {
        $fields = implode('; ', array_map(static fn (array $each) => "{$each['field']}: {$each['reason']}", $details));
        $text = $fields === '' ? $message : "{$message} ({$fields})";
        preg_match('/^.{0,1000}/su', $text, $beginning);
        return $beginning[0] === $text ? $text : "{$beginning[0]}…";
    }
}
