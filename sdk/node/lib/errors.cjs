'use strict';

// The SDK's errors, beside TypeError (a wrong call) and the reason of the caller's AbortSignal.
class PixledgerError extends Error {
  constructor(message, options) {
    super(message, options);
    this.name = new.target.name;
  }
}

// With the fields that were rejected. Reasons contain no personal data.
function withFields(message, details) {
  const fields = details.map(({ field, reason }) => `${field}: ${reason}`).join('; ');
  const text = fields ? `${message} (${fields})` : message;
  const [beginning] = /^.{0,1000}/su.exec(text);
  return beginning === text ? text : `${beginning}…`;
}

// The API rejected the request. Its documentation has `status` and `code`.
class ApiError extends PixledgerError {
  constructor({ status, code, message, details, requestId, retryAfterMs }) {
    super(withFields(message, details));
    this.status = status;
    this.code = code;
    this.details = details;
    this.requestId = requestId;
    this.retryAfterMs = retryAfterMs;
  }

  // All that helps to find the cause, for logs that write errors as text.
  toString() {
    const request = this.requestId ? ` (request ${this.requestId})` : '';
    return `${this.name}: ${this.status} ${this.code}: ${this.message}${request}`;
  }
}

// No reply, or an unreadable one. It is unknown whether the request was carried out; a repeat with the same
// idempotency key does nothing twice.
class ConnectionError extends PixledgerError {}

// The same, after a time-out.
class TimeoutError extends ConnectionError {}

// The webhook must not be trusted. `code` says why:
//   missing_header          there is no signature
//   malformed_signature     the signature has neither form
//   unsupported_version     its form is not among those that the caller accepts
//   timestamp_out_of_range  it was sent too long ago, or the clocks differ
//   signature_mismatch      another secret, or another body
//   malformed_body          signed, but not the JSON of a webhook
class WebhookVerificationError extends PixledgerError {
  constructor(code, message) {
    super(message);
    this.code = code;
  }

  toString() {
    return `${this.name}: ${this.code}: ${this.message}`;
  }
}

module.exports = { PixledgerError, ApiError, ConnectionError, TimeoutError, WebhookVerificationError };
