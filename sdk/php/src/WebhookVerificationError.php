<?php

declare(strict_types=1);

namespace Pixledger;

/**
 * The webhook must not be trusted: answer 401 and do nothing. `errorCode` says why:
 *   missing_header          there is no signature
 *   malformed_signature     the signature has none of the known forms
 *   unsupported_version     its form is not among those that the caller accepts
 *   timestamp_out_of_range  it was sent too long ago, or the clocks differ
 *   signature_mismatch      another secret, or another body
 *   malformed_body          signed, but not the JSON of a webhook
 */
class WebhookVerificationError extends PixledgerError
{
    public function __construct(public readonly string $errorCode, string $message)
    {
        parent::__construct($message);
    }
}
