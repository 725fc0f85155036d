<?php

declare(strict_types=1);

// Made from the OpenAPI document by scripts/lib/sdk/php.mjs: change these.

namespace Pixledger\Api;

/**
 * @phpstan-import-type Alive from Types
 * @phpstan-import-type Ready from Types
 * @phpstan-import-type CallOptions from Group
 */
final class Service extends Group
{
    /**
     * Is the process alive?
     *
     * @param CallOptions $options
     * @return Alive
     */
    public function alive(array $options = []): array
    {
        return $this->data('GET', '/healthz', $options, isPublic: true);
    }

    /**
     * Can it serve?
     *
     * @param CallOptions $options
     * @return Ready
     */
    public function ready(array $options = []): array
    {
        return $this->data('GET', '/readyz', $options, isPublic: true);
    }

    /**
     * Metrics.
     *
     * @param CallOptions $options
     * @return string
     */
    public function metrics(array $options = []): string
    {
        return $this->text('GET', '/metrics', $options, isPublic: true);
    }

    /**
     * This document.
     *
     * @param CallOptions $options
     * @return array<string, mixed>
     */
    public function document(array $options = []): array
    {
        return $this->whole('GET', '/openapi.json', $options, isPublic: true);
    }
}
