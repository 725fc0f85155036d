#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/http/message/reply.h"
#include "base/http/message/request.h"

namespace pixledger::http {

// A fault of a request.
struct Violation {
  std::string field;                          // as the caller wrote it: "payment.amountCents", "limit"
  std::string reason;                         // what to do: "must be an integer from 1 to 100"
  std::optional<std::string> resume_after{};  // for an invalid cursor: a valid one to go on from
};
using Violations = std::vector<Violation>;

inline constexpr std::string_view kInvalid = "ERR_VALIDATION_001";

// An error of the API. The message says what to do and never repeats personal data or a key.
struct ErrorBody {
  int status;
  std::string_view code;  // a literal: "ERR_TRANSACTION_001"
  std::string message;
  Violations details = {};
};

// {"success":false,"code","message","details","requestId"}, or the same as RFC 9457 problem details if the
// request's Accept names application/problem+json with at least the weight of application/json.
Reply error_reply(const Request& request, const ErrorBody& error);

// 400 ERR_VALIDATION_001 with every violation found.
Reply validation_reply(const Request& request, Violations violations);

// An error of the transport itself, ERR_HTTP_<status>; 503 also asks to retry after a second.
Reply transport_error_reply(const Request& request, int status, std::string_view message);

// The names that are known in one place of a request.
struct KnownNames {
  std::string_view path;  // before each name: "payment.", or nothing
  std::span<const std::string_view> names;
};

// Returns a name as an answer may repeat it: cut at kNameBytesMax, and only the beginning of what looks like
// a document, a phone number, an e-mail address or a key.
std::string shown_name(std::string_view name);

// Returns the known name that an unknown one was probably meant to be, or empty. Near is: the same but for
// case, '_' and '-'; or at most two edits away, if that is less than half of it; or one begins with the other
// (amount, amountCents). Text in brackets is ignored (metdata[a], metadata[key]).
std::string_view nearest_name(std::string_view name, std::span<const std::string_view> known);

// Adds a violation for each name that is unknown in its place. It suggests the nearest name of that place, or
// else a place that has the name: "is not a field of this operation; did you mean amountCents?". One
// violation for each name, and after kNamesMax of them one with the number of the others.
class UnknownNames {
 public:
  static constexpr std::size_t kNamesMax = 100;
  static constexpr std::size_t kNameBytesMax = 100;  // longer ones are cut

  // `kind`: "field" or "parameter". All are views or references that outlive this.
  UnknownNames(std::string_view kind, std::span<const KnownNames> known, Violations& violations)
      : kind_(kind), known_(known), violations_(violations), first_(violations.size()) {}
  ~UnknownNames();
  UnknownNames(const UnknownNames&) = delete;
  UnknownNames& operator=(const UnknownNames&) = delete;

  // `path`: the path of one of the known places.
  void add(std::string_view path, std::string_view name);

 private:
  std::string suggestion(std::string_view path, std::string_view name) const;

  const std::string_view kind_;
  const std::span<const KnownNames> known_;
  Violations& violations_;
  const std::size_t first_;  // of the violations added here
  std::size_t left_out_ = 0;
};

}  // namespace pixledger::http
