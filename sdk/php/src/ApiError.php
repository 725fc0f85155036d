<?php

declare(strict_types=1);

namespace Pixledger;

/** The API rejected the request. Its documents have `status` and `errorCode`. */
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
        parent::__construct($message);
    }

    /** All that helps to find the cause, for logs that write errors as text. Reasons contain no personal data. */
    public function __toString(): string
    {
        $fields = [];
        foreach ($this->details as $each) {
            $fields[] = "{$each['field']}: {$each['reason']}";
        }
        $more = $fields === [] ? '' : ' (' . implode('; ', $fields) . ')';
        $more .= $this->requestId === null ? '' : " (request {$this->requestId})";
        return static::class . ": {$this->status} {$this->errorCode}: {$this->message}{$more}"
            . " in {$this->file}:{$this->line}\nStack trace:\n{$this->getTraceAsString()}";
    }
}
