#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/http/json/error_reply.h"
#include "base/http/json/json_body.h"
#include "base/http/message/request.h"
#include "base/platform/json.h"
#include "base/platform/time_zone.h"

namespace pixledger::http {

// The parameters of a query string (application/x-www-form-urlencoded: percent escapes, '+' is a blank).
// Reading a parameter makes its name known; see refuse_unknown. Not thread-safe.
class Query {
 public:
  // Keeps views into `raw`, which must outlive it.
  explicit Query(std::string_view raw);

  // Returns the decoded value. Empty values count as absent. Adds a violation and returns nullopt for a
  // repeated parameter (two values that are not empty), a broken escape or invalid UTF-8.
  std::optional<std::string> value(std::string_view name, Violations& violations) const;

  // The decoded values of all parameters `name[KEY]`, by KEY; otherwise as value().
  std::vector<std::pair<std::string, std::string>> values_in(std::string_view name,
                                                             Violations& violations) const;

  // Adds a violation for each parameter that was never read, even an empty one, and suggests the most similar
  // known name. Call it after all parameters have been read.
  void refuse_unknown(Violations& violations) const;

 private:
  struct Parameter {
    std::string name;        // decoded; as sent if that fails, since no known name matches it
    std::string_view value;  // as sent
  };
  std::vector<Parameter> parameters_;
  mutable std::vector<std::string_view> asked_;  // literals, and names of parameters_
  mutable std::vector<std::string> families_;    // the `name[key]` that values_in read
};

// What a request passes to an operation in its path, query and body. A handler reads every name that it
// knows, so that the rest can be refused. It continues only if finish() returns true.
//
//   Input input(request);
//   const auto id = input.path_id<domain::ChargeId>();
//   const auto amount = input.optional_body().optional_integer("amountCents", 1, domain::kAmountCentsMax);
//   if (!input.finish()) return input.refusal();
//
// Keeps views into the request. At most one at a time per thread.
class Input {
 public:
  explicit Input(const Request& request) : request_(request), query_(request.query) {}
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;

  // The path parameter `id`; nullopt with a violation.
  template <class Id>
  std::optional<Id> path_id() {
    auto id = Id::parse(request_.path_parameter("id"));
    if (!id) violations_.push_back({"id", std::string(Id::kRule)});
    return id;
  }

  const Request& request() const { return request_; }
  const Query& query() const { return query_; }
  // Query::value with this request's violations.
  std::optional<std::string> parameter(std::string_view name) { return query_.value(name, violations_); }

  // The same, parsed as a type that has parse() and kRule.
  template <class Value>
  std::optional<Value> parsed(std::string_view name) {
    const auto text = parameter(name);
    if (!text) return std::nullopt;
    auto value = Value::parse(*text);
    if (!value) violations_.push_back({std::string(name), std::string(Value::kRule)});
    return value;
  }

  // The same, as an integer from `min` to `max`. The violation states this range, or `rule` if given.
  std::optional<std::uint64_t> integer(std::string_view name, std::uint64_t min, std::uint64_t max,
                                       const std::string& rule = {});

  // The body, which must be a JSON object. If it is not, adds one violation, and all its fields are absent.
  JsonObject body() { return body_with(Presence::kRequired); }
  // The same for an optional body: an empty one counts as {}.
  JsonObject optional_body() { return body_with(Presence::kOptional); }
  // As JsonBody::canonical; empty if the body was not read or is invalid.
  std::string canonical_body() const { return body_ ? body_->canonical() : std::string(); }

  // Absent in the same cases.
  const std::optional<JsonBody>& json() const { return body_; }

  Violations& violations() { return violations_; }

  // Whether the request has no violations. The first call adds a violation for everything unread: fields of a
  // body, a whole body, query parameters. Lenient requests (Prefer) skip that.
  bool finish();
  // 400 with the violations; call it once.
  Reply refusal() { return validation_reply(request_, std::move(violations_)); }

 private:
  enum class Presence { kRequired, kOptional };
  JsonObject body_with(Presence presence);

  const Request& request_;
  Query query_;
  bool body_is_read_ = false;
  bool is_finished_ = false;
  std::optional<JsonBody> body_;
  Violations violations_;
};

constexpr std::size_t kPageLimitMax = 100;
constexpr std::size_t kPageNumberMax = 1'000'000'000;

// The part of a list that a caller asks for.
struct Page {
  std::size_t number = 1;
  std::size_t limit = 10;

  // The number of items before it.
  std::size_t offset() const { return (number - 1) * limit; }
};

// Reads the query parameters `page` and `limit`; adds a violation for each invalid one.
Page read_page(Input& input);

// Writes the member `meta` into the open object. totalPages is 0 for an empty list.
void write_meta(Json& json, const Page& page, std::size_t total);
// As above, for a list that dates can filter; names the zone of those dates.
void write_meta(Json& json, const Page& page, std::size_t total, const TimeZone& zone);

}  // namespace pixledger::http
