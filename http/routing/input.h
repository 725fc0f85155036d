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
// A parameter that is asked for is known from then on; see refuse_unknown. Not for several threads.
class Query {
 public:
  // Keeps views into `raw`, which must outlive it.
  explicit Query(std::string_view raw);

  // The decoded value of a known parameter. Empty values count as absent. A parameter given twice (with two
  // values that are not empty), a broken escape and bytes that are not UTF-8 are violations, and then
  // nullopt.
  std::optional<std::string> value(std::string_view name, Violations& violations) const;

  // The decoded values of all parameters `name[KEY]`, by KEY; the rest as in value().
  std::vector<std::pair<std::string, std::string>> values_in(std::string_view name,
                                                             Violations& violations) const;

  // Adds a violation for each parameter that was never asked for, an empty one too, with the known name that
  // is most like it. To be called when everything that is known has been asked for.
  void refuse_unknown(Violations& violations) const;

 private:
  struct Parameter {
    std::string name;        // decoded; as sent where that cannot be, since it is the name of nothing known
    std::string_view value;  // as sent
  };
  std::vector<Parameter> parameters_;
  mutable std::vector<std::string_view> asked_;  // literals, and names of parameters_
  mutable std::vector<std::string> families_;    // `name[key]` for what values_in was asked for
};

// What a request says to an operation in its path, its query and its body. An operation knows what it asks
// for by name and nothing else, so that the rest can be refused: a handler asks for all that it knows, and
// goes on only if finish() says so.
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
  // Query::value with the violations of this request.
  std::optional<std::string> parameter(std::string_view name) { return query_.value(name, violations_); }

  // The same where it has to be of a type that has parse() and a rule.
  template <class Value>
  std::optional<Value> parsed(std::string_view name) {
    const auto text = parameter(name);
    if (!text) return std::nullopt;
    auto value = Value::parse(*text);
    if (!value) violations_.push_back({std::string(name), std::string(Value::kRule)});
    return value;
  }

  // The same where it has to be an integer from `min` to `max`, which the violation says unless a rule of its
  // own is given.
  std::optional<std::uint64_t> integer(std::string_view name, std::uint64_t min, std::uint64_t max,
                                       const std::string& rule = {});

  // The body as one JSON object, which it has to be; a violation says so once where it is not, and what is
  // read then is absent.
  JsonObject body() { return body_with(Presence::kRequired); }
  // The same where the body may be left out: nothing at all counts as {}.
  JsonObject optional_body() { return body_with(Presence::kOptional); }
  // As JsonBody::canonical; empty where no body was asked for or it could not be read.
  std::string canonical_body() const { return body_ ? body_->canonical() : std::string(); }

  // Absent as said there.
  const std::optional<JsonBody>& json() const { return body_; }

  Violations& violations() { return violations_; }

  // Whether nothing is wrong with the request. The first call adds what was not asked for to the violations,
  // unless the request prefers that to be ignored: fields of a body, a body at all, parameters of the query.
  bool finish();
  // 400 with the violations; called once.
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

// Which part of a list a caller asks for.
struct Page {
  std::size_t number = 1;
  std::size_t limit = 10;

  // How many items come before it.
  std::size_t offset() const { return (number - 1) * limit; }
};

// The query parameters `page` and `limit`; adds a violation for each that is not what it has to be.
Page read_page(Input& input);

// The member `meta`, into the object that is open. totalPages is 0 for an empty list.
void write_meta(Json& json, const Page& page, std::size_t total);
// The meta of a list that dates can filter; it names the zone of those dates.
void write_meta(Json& json, const Page& page, std::size_t total, const TimeZone& zone);

}  // namespace pixledger::http
