<?php

declare(strict_types=1);

// Made from the OpenAPI document by scripts/lib/sdk/php.mjs: change these.

namespace Pixledger\Api;

/**
 * @phpstan-import-type ExpiredSimulation from Types
 * @phpstan-import-type FailedSimulation from Types
 * @phpstan-import-type PaidSimulation from Types
 * @phpstan-import-type CallOptions from Group
 */
final class Sandbox extends Group
{
    /**
     * Simulate the payment.
     *
     * @param CallOptions $options
     * @return PaidSimulation
     */
    public function pay(string $id, array $options = []): array
    {
        return $this->data('POST', self::path('/api/sandbox/transactions/{id}/pay', $id), $options);
    }

    /**
     * Simulate the expiry.
     *
     * @param CallOptions $options
     * @return ExpiredSimulation
     */
    public function expire(string $id, array $options = []): array
    {
        return $this->data('POST', self::path('/api/sandbox/transactions/{id}/expire', $id), $options);
    }

    /**
     * Simulate a failure.
     *
     * @param CallOptions $options
     * @return FailedSimulation
     */
    public function fail(string $id, array $options = []): array
    {
        return $this->data('POST', self::path('/api/sandbox/transactions/{id}/fail', $id), $options);
    }
}
