#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/http/message/reply.h"
#include "base/http/message/request.h"

namespace pixledger::http {

// One thing that is wrong with a request.
struct Violation {
  std::string field;                          // as the caller wrote it: "payment.amountCents", "limit"
  std::string reason;                         // what to do: "must be an integer from 1 to 100"
  std::optional<std::string> resume_after{};  // of a cursor that leads nowhere: one that leads on
};
using Violations = std::vector<Violation>;

inline constexpr std::string_view kInvalid = "ERR_VALIDATION_001";

// An error as the interface defines it. The message says what to do and never repeats personal data or a key.
struct ErrorBody {
  int status;
  std::string_view code;  // a literal: "ERR_TRANSACTION_001"
  std::string message;
  Violations details = {};
};

// {"success":false,"code","message","details","requestId"}, or the same as RFC 9457 problem details when the
// request's Accept names application/problem+json, with no less weight than application/json.
Reply error_reply(const Request& request, const ErrorBody& error);

// 400 ERR_VALIDATION_001 with every violation found.
Reply validation_reply(const Request& request, Violations violations);

// An error of the transport itself, ERR_HTTP_<status>; 503 also asks to retry after a second.
Reply transport_error_reply(const Request& request, int status, std::string_view message);

}  // namespace pixledger::http
