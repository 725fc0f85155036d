#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/http/message/reply.h"
#include "base/values/ip_address.h"
#include "base/values/position.h"

namespace pixledger::http {

// A request is given up. The transport answers.
struct WorkGivenUp : std::runtime_error {
  explicit WorkGivenUp(bool gone)
      : std::runtime_error(gone ? "the caller has gone" : "the request took too long"),
        caller_has_gone(gone) {}
  bool caller_has_gone;  // or else its time is over
};

// For how long a request may be worked on: until its time is over, or until its caller has gone, since nobody
// would read the answer. What loops for long asks it.
class WorkBudget {
 public:
  using Clock = std::chrono::steady_clock;

  // Without an end, for what came over no connection.
  WorkBudget() = default;
  // The flag outlives it, and may be set by any thread.
  WorkBudget(Clock::time_point deadline, const std::atomic<bool>& caller_has_gone)
      : deadline_(deadline), caller_has_gone_(&caller_has_gone) {}

  bool is_over() const { return has_gone() || (deadline_ && Clock::now() >= *deadline_); }
  // Throws WorkGivenUp when it is over.
  void check() const {
    if (is_over()) throw WorkGivenUp(has_gone());
  }

 private:
  bool has_gone() const { return caller_has_gone_ && caller_has_gone_->load(std::memory_order_relaxed); }

  std::optional<Clock::time_point> deadline_;
  const std::atomic<bool>* caller_has_gone_ = nullptr;
};

// kOther: a method that no route has.
enum class Method { kGet, kHead, kPost, kPut, kPatch, kDelete, kOptions, kOther };

// As it stands in a request line: "GET".
std::string_view method_name(Method method);

// The header fields of one request, in the order sent. Values are as sent, without surrounding blanks.
// Copies what it is given, in one block that clear() keeps for the next request.
class Headers {
 public:
  void add(std::string_view name, std::string_view value);
  void clear();

  // The value of the first field of that name, compared without case. The view lives until the next add or
  // clear.
  std::optional<std::string_view> find(std::string_view name) const;
  std::size_t count(std::string_view name) const;
  // The values of all fields of that name in the order sent, with commas between (RFC 9110 §5.3).
  std::string joined(std::string_view name) const;
  std::size_t size() const { return fields_.size(); }

 private:
  struct Field {
    std::uint32_t name_at, name_bytes, value_at, value_bytes;
  };
  std::string_view name(const Field& field) const;

  std::string block_;
  std::vector<Field> fields_;
};

// What a path has where its route's pattern has a name.
struct PathParameter {
  std::string_view name;  // as the route's pattern names it
  std::string value;      // percent-decoded, valid UTF-8, not empty
};

// Who called: what authentication learned from the key. Defined by the authentication, opaque to the
// transport.
struct Caller;

// Whether and as whom its sender has signed in. Defined by the authentication.
struct SignInLookup;

// One request, complete: the transport never hands over half a body.
// A handler may keep views into it until it returns.
struct Request {
  Method method = Method::kGet;
  std::string path;   // as sent: starts with '/', not percent-decoded, without the query
  std::string query;  // as sent, without '?'; see Query
  Headers headers;
  std::string body;            // at least kBodyPaddingBytes of capacity beyond its end, for simdjson
  std::string caller_address;  // of the connection's peer, or of whom a trusted proxy speaks for
  std::string request_id;      // the caller's X-Request-Id if it is acceptable, else one of ours

  // How long it may be worked on; set by the transport.
  WorkBudget budget;

  // Set by the router.
  std::string_view route_pattern;  // such as "/api/v1/transactions/:id"; empty when no route matched
  std::size_t route_number = 0;    // 1, 2, 3… in the routing table's order; 0 when no route matched
  std::vector<PathParameter> path_parameters;
  bool is_lenient = false;  // asks for what it says and nobody knows to be ignored; see prefers_lenient

  // How far the log was once the request had come; absent while that is not known, and on public routes.
  std::optional<Head> arrival;

  // What was found out of the sign-in whose token the request has; null while that is not known, and where it
  // has none.
  std::shared_ptr<const SignInLookup> sign_in;

  // Set by the guard once the key is known to be good; null before, and on public routes.
  std::shared_ptr<const Caller> caller;
  // Set by the guard: what the answer carries besides its own headers, whatever it is.
  std::vector<ReplyHeader> reply_headers;

  // The path parameter that the route's pattern names so; asserts that it does.
  const std::string& path_parameter(std::string_view name) const;
};

// How far beyond the end of a body its parser may read.
inline constexpr std::size_t kBodyPaddingBytes = 64;

// Bodies that are files: the operations that take one say so, all others take JSON.

inline constexpr std::string_view kFileType = "application/octet-stream";
inline constexpr std::size_t kFileBytesMax = std::size_t{8} << 20U;

// Whether the request prefers lenient handling (`Prefer: handling=lenient`, RFC 7240 §4.4): what it says and
// nobody knows is ignored rather than refused. Of several such preferences the first counts.
bool prefers_lenient(const Headers& headers);

// Whether Accept-Encoding takes gzip. `*` stands for it where it is not named itself (RFC 9110 §12.5.3).
bool accepts_gzip(const Headers& headers);

// Whom a trusted proxy speaks for. Each proxy appends to X-Forwarded-For the address that it was called from,
// so the list is read from its end for as long as the address read last is a trusted proxy's; what stands
// before that anybody can have written. An entry that is no address ends the reading: the caller is then the
// address read before it. Asserts that `peer` is trusted.
IpAddress forwarded_caller(const IpAddress& peer, const Headers& headers,
                           const std::vector<Cidr>& trusted_proxies);

}  // namespace pixledger::http
