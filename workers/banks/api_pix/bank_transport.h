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
  std::vector<std::pair<std::string, std::string>> headers;  // beside those of HTTP itself
  std::string content_type = {};
  std::string body = {};
};

// The bank said something, whole where the status is below 400.
struct Answered {
  int status = 0;
  std::string body;
  std::string retry_after;        // the header's value; empty: none
  std::optional<Timestamp> date;  // the bank's clock, to the second
};

// The request may have reached the bank, and no answer that can be used came back: what it asked for may be
// done or not.
struct OutcomeUnknown {
  std::string reason;
};

// The bank has seen nothing of it.
struct NotSent {
  std::string reason;
  bool refused_certificate = false;  // the bank ended the handshake over the client's certificate
  TlsFault tls_fault = TlsFault::kNone;
};

using CallResult = std::variant<Answered, OutcomeUnknown, NotSent>;

// The way to one bank. Thread-safe.
class BankTransport {
 public:
  virtual ~BankTransport() = default;

  // One call. Whatever goes wrong on the way is a result, not an exception. What may be repeated ("GET") may
  // be sent twice.
  virtual CallResult call(const HttpCall& call) = 0;
};

// What ways to banks are made of: the network of this process, or a simulated one. Thread-safe.
class BankTransports {
 public:
  virtual ~BankTransports() = default;

  // It outlives the transport. PEM, as BankAccess has them; empty: the client shows no certificate. Throws
  // std::invalid_argument when certificate and key cannot be used.
  virtual std::unique_ptr<BankTransport> connect(const std::string& certificate_pem,
                                                 const std::string& private_key_pem) = 0;
};

}  // namespace pixledger::workers
