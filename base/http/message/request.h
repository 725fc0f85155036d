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

// Thrown to abandon a request; the transport replies.
struct WorkGivenUp : std::runtime_error {
  explicit WorkGivenUp(bool gone)
      : std::runtime_error(gone ? "the caller has gone" : "the request took too long"),
        caller_has_gone(gone) {}
  bool caller_has_gone;  // else the deadline has passed
};

// How long a request may be processed: until its deadline, or until the caller disconnects. Long loops must
// check it.
class WorkBudget {
 public:
  using Clock = std::chrono::steady_clock;

  // Unlimited, for requests without a connection.
  WorkBudget() = default;
  // The flag must outlive it; any thread may set it.
  WorkBudget(Clock::time_point deadline, const std::atomic<bool>& caller_has_gone)
      : deadline_(deadline), caller_has_gone_(&caller_has_gone) {}

  bool is_over() const { return has_gone() || (deadline_ && Clock::now() >= *deadline_); }
  // Throws WorkGivenUp if it is over.
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

// The name in a request line: "GET".
std::string_view method_name(Method method);

// The header fields of one request, in the order sent, without surrounding blanks. Copies them into one
// buffer that clear() keeps for the next request.
class Headers {
 public:
  void add(std::string_view name, std::string_view value);
  void clear();

  // The value of the first field with that name, compared without case. Valid until the next add or clear.
  std::optional<std::string_view> find(std::string_view name) const;
  std::size_t count(std::string_view name) const;
  // The values of all fields with that name in the order sent, joined with commas (RFC 9110 §5.3).
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

// A path segment's value for a named segment of the route's pattern.
struct PathParameter {
  std::string_view name;  // its name in the route's pattern
  std::string value;      // percent-decoded, valid UTF-8, not empty
};

// The authenticated caller. Defined by the authentication, opaque to the transport.
struct Caller;

// The trace that a request belongs to. Defined by the application, opaque to the transport.
struct RequestTrace;

// The result of looking up the sender's sign-in. Defined by the authentication.
struct SignInLookup;

// One complete request: the transport never delivers half a body. Handlers may keep views into it until they
// return.
struct Request {
  Method method = Method::kGet;
  std::string path;   // as sent: starts with '/', not percent-decoded, without the query
  std::string query;  // as sent, without '?'; see Query
  Headers headers;
  std::string body;            // at least kBodyPaddingBytes of capacity beyond its end, for simdjson
  std::string caller_address;  // of the connection's peer, or of the client that a trusted proxy names
  std::string request_id;      // the caller's X-Request-Id if valid, else generated
  bool is_from_proxy = false;  // the connection's peer is a trusted proxy
  // The common name of the certificate that the peer had to present, possibly empty; absent without one.
  std::optional<std::string> certificate_name;

  // The processing deadline; set by the transport.
  WorkBudget budget;

  // Set by the router.
  std::string_view route_pattern;  // such as "/api/v1/transactions/:id"; empty when no route matched
  std::size_t route_number = 0;    // 1, 2, 3… in the routing table's order; 0 when no route matched
  std::vector<PathParameter> path_parameters;
  bool is_lenient = false;  // ignores unknown input; see prefers_lenient

  // The log's head after the request arrived; absent until known, and on public routes.
  std::optional<Head> arrival;

  // The sign-in found for the request's token; null until known, and without a token.
  std::shared_ptr<const SignInLookup> sign_in;

  // Null: not traced.
  std::shared_ptr<const RequestTrace> trace;

  // Set by the guard after authentication; null before, and on public routes.
  std::shared_ptr<const Caller> caller;
  // Set by the guard: headers that every reply to this request carries.
  std::vector<ReplyHeader> reply_headers;

  // The path parameter with that name in the route's pattern; asserts that there is one.
  const std::string& path_parameter(std::string_view name) const;
};

// How far a parser may read beyond the end of a body.
inline constexpr std::size_t kBodyPaddingBytes = 64;

// File bodies: only operations that declare so accept them, all others take JSON.

inline constexpr std::string_view kFileType = "application/octet-stream";
inline constexpr std::size_t kFileBytesMax = std::size_t{8} << 20U;

// Whether the request prefers lenient handling (`Prefer: handling=lenient`, RFC 7240 §4.4): unknown input is
// ignored instead of rejected. The first such preference counts.
bool prefers_lenient(const Headers& headers);

// Whether Accept-Encoding accepts gzip. `*` covers it unless it is named (RFC 9110 §12.5.3).
bool accepts_gzip(const Headers& headers);

// The client that a trusted proxy forwards for. Each proxy appends its peer's address to X-Forwarded-For, so
// the list is read from the end while the last address is a trusted proxy's. Earlier entries could be forged.
// An invalid entry stops the search; the caller is then the address read before it. Asserts that `peer` is
// trusted.
IpAddress forwarded_caller(const IpAddress& peer, const Headers& headers,
                           const std::vector<Cidr>& trusted_proxies);

}  // namespace pixledger::http
