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

// What may stand in one place of a request.
struct KnownNames {
  std::string_view path;  // before each name: "payment.", or nothing
  std::span<const std::string_view> names;
};

// A name as an answer may repeat it: cut at kNameBytesMax, and of what looks like a document, a phone number,
// an e-mail or a key no more than its beginning.
std::string shown_name(std::string_view name);

// The known name that an unknown one was probably meant to be, empty when none is near: the same but for
// case, '_' and '-'; or at most two edits away, if that is less than half of it; or the one begins with the
// other (amount, amountCents). What stands in brackets does not count (metdata[a], metadata[key]).
std::string_view nearest_name(std::string_view name, std::span<const std::string_view> known);

// Adds a violation for each name that is not known where it stands, with the nearest that is known there, or
// else with the same name where it is known: "is not a field of this operation; did you mean amountCents?".
// One violation a name, and after kNamesMax of them one that says how many more there are.
class UnknownNames {
 public:
  static constexpr std::size_t kNamesMax = 100;
  static constexpr std::size_t kNameBytesMax = 100;  // what is longer is cut

  // `kind`: "field" or "parameter". All are views or references that outlive this.
  UnknownNames(std::string_view kind, std::span<const KnownNames> known, Violations& violations)
      : kind_(kind), known_(known), violations_(violations), first_(violations.size()) {}
  ~UnknownNames();
  UnknownNames(const UnknownNames&) = delete;
  UnknownNames& operator=(const UnknownNames&) = delete;

  // `path`: as one of the known ones has it.
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
