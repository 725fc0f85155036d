#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/http/message/body_source.h"

namespace pixledger::http {

inline constexpr std::string_view kJson = "application/json";
inline constexpr std::string_view kProblemJson = "application/problem+json";

// One header field of an answer.
struct ReplyHeader {
  std::string_view name;  // outlives the reply: a literal
  std::string value;      // visible ASCII and blanks only; asserted
};

// What a refusal says, for whoever counts refusals.
struct ErrorNote {
  std::string code;
  std::vector<std::string> fields;  // that are wrong
};

// What a handler answers. The transport adds the framing, Date, X-Request-Id and, where the reply has none of
// its own, Cache-Control: no-store; it leaves the body out of answers to HEAD, of 204 and of 304.
struct Reply {
  int status = 200;
  std::string body;
  std::string_view content_type = kJson;  // outlives the reply: a literal
  std::vector<ReplyHeader> headers{};
  // Instead of `body`: what outlives every reply, such as a document of the program's own. Never copied.
  std::string_view static_body{};
  // Instead of either: sent as it is made, without a length.
  std::shared_ptr<BodySource> source{};
  // Of a refusal as the interface defines them; goes nowhere.
  std::shared_ptr<const ErrorNote> error{};
};

}  // namespace pixledger::http
