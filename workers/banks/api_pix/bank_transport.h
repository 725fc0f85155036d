#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/values/timestamp.h"
#include "workers/banks/api_pix/tls_fault.h"

namespace pixledger::workers {

struct HttpCall {
  std::string method;                                        // "PUT"
  std::string url;                                           // with the query
  std::vector<std::pair<std::string, std::string>> headers;  // in addition to HTTP's own
  std::string content_type = {};
  std::string body = {};
};

// The bank answered; the body is complete if the status is below 400.
struct Answered {
  int status = 0;
  std::string body;
  std::string retry_after;        // the header's value; empty: none
  std::optional<Timestamp> date;  // the bank's clock, to the second
};

// The request may have reached the bank, and no usable answer came back: it may have been carried out or not.
struct OutcomeUnknown {
  std::string reason;
};

// The request did not reach the bank.
struct NotSent {
  std::string reason;
  bool refused_certificate = false;  // the bank rejected the client's certificate
  TlsFault tls_fault = TlsFault::kNone;
};

using CallResult = std::variant<Answered, OutcomeUnknown, NotSent>;

// The transport to one bank. Thread-safe.
class BankTransport {
 public:
  virtual ~BankTransport() = default;

  // Makes one call. Failures are results, not exceptions. Idempotent requests ("GET") may be sent twice.
  virtual CallResult call(const HttpCall& call) = 0;
};

// Makes transports to banks: over this process's network, or simulated. Thread-safe.
class BankTransports {
 public:
  virtual ~BankTransports() = default;

  // It outlives the transport. PEM, as in BankAccess; empty: the client shows no certificate. Throws
  // std::invalid_argument if certificate or key is unusable.
  virtual std::unique_ptr<BankTransport> connect(const std::string& certificate_pem,
                                                 const std::string& private_key_pem) = 0;
};

}  // namespace pixledger::workers
