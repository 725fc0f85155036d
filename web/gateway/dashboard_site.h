#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/http/message/reply.h"
#include "base/http/message/request.h"
#include "base/http/transport/exchange.h"
#include "web/common/limits.h"
#include "web/gateway/gateway_rules.h"
#include "web/gateway/guide.h"
#include "web/gateway/sign_in.h"
#include "web/upstream/api_relay.h"

namespace pixledger::web {

// The users of recent sign-ins, as named in the API's replies, so that all sign-ins of a user count together.
// Thread-safe.
//
// Memory is bounded: cleared when it has kMost.
class SignedInUsers {
 public:
  static constexpr std::size_t kMost = 16'384;

  std::optional<std::string> find(const std::string& sign_in) const {
    const std::lock_guard lock(mutex_);
    const auto found = users_.find(sign_in);
    return found == users_.end() ? std::nullopt : std::optional(found->second);
  }

  void keep(const std::string& sign_in, std::string user) {
    const std::lock_guard lock(mutex_);
    if (users_.size() >= kMost) users_.clear();
    users_.insert_or_assign(sign_in, std::move(user));
  }

 private:
  mutable std::mutex mutex_;
  std::unordered_map<std::string, std::string> users_;
};

// The dashboard's files, compressed once at construction. Thread-safe afterwards. Outlives its replies.
class DashboardFiles {
 public:
  DashboardFiles();

  // A page of the dashboard; 304 if the browser has it.
  http::Reply document(const http::Request& request) const;
  // nullopt if there is no file at that path.
  std::optional<http::Reply> asset(const http::Request& request) const;

 private:
  struct File {
    std::string_view bytes;
    std::string compressed;
  };
  static File file_of(std::string_view bytes);
  static http::Reply reply_of(const http::Request& request, const File& file, std::string_view type);

  const File document_, script_, style_, verifier_;
};

// The dashboard: its files, the merchants' guide, and a gateway for its own pages to the API. Turns the
// sign-in's cookie into the API's credentials, and a new sign-in's token into the cookie. Leaves sign-ins,
// roles and rates to the API. Thread-safe.
class DashboardSite {
 public:
  // Limits of concurrent requests and streams.
  static constexpr std::size_t kRequestsOfAddressMax = 64;
  static constexpr std::size_t kRequestsOfSignInMax = 24;
  static constexpr std::size_t kRequestsOfUserMax = 48;  // for all of a user's sign-ins
  static constexpr std::size_t kStreamsOfAddressMax = 64;
  static constexpr std::size_t kStreamsOfSignInMax = 8;

  // All outlive it.
  struct Parts {
    ApiRelay& relay;
    // Called when the API's reply about a sign-in is invalid, so that it is not passed on.
    std::function<void()> log_bad_sign_in;
  };
  struct Counts {
    std::atomic<std::uint64_t> cross_site{0};
    std::atomic<std::uint64_t> over_address_requests{0};
    std::atomic<std::uint64_t> over_sign_in_requests{0};
    std::atomic<std::uint64_t> over_user_requests{0};
    std::atomic<std::uint64_t> over_address_streams{0};
    std::atomic<std::uint64_t> over_sign_in_streams{0};
  };

  // `url`: the dashboard's, as browsers see it.
  DashboardSite(Parts parts, const HttpUrl& url)
      : parts_(std::move(parts)), origin_(url), cookie_(url.is_tls) {}

  // Replies to a request by its head alone, or sets its route and returns nullopt.
  std::optional<http::Reply> judge(http::Request& request);
  // Whether the request has a sign-in that the API has answered before.
  bool knows_sign_in(const http::Request& request) const;
  // Call on the connection's loop, after judge().
  void serve(const http::Responder& responder);

  const Counts& counts() const { return counts_; }

 private:
  // A request that waits for the API.
  struct Passage {
    http::Responder responder;
    SignInStep step;
    std::string token;    // sent to the API; may be empty
    std::string sign_in;  // the token's digest, so that tokens are not stored; empty without a token
    std::string network;
    std::shared_ptr<void> places{};
  };
  using PassagePtr = std::shared_ptr<Passage>;

  std::optional<http::Reply> judge_document(const http::Request& request) const;
  std::optional<http::Reply> judge_api(const http::Request& request);

  void pass(const http::Responder& responder);
  bool take_places(Passage& passage);
  bool take_stream_places(const Passage& passage, RelayedBody& rest);
  void receive(const PassagePtr& passage, std::optional<RelayedReply> relayed);
  void answer(const Passage& passage, RelayedReply relayed);
  // Moves a sign-in's token from the reply into `cookie`; false if the reply cannot be passed on.
  bool keep_sign_in(const Passage& passage, ApiReply& reply, std::optional<std::string>& cookie) const;

  const Parts parts_;
  const BrowserOrigin origin_;
  const SignInCookie cookie_;
  const DashboardFiles files_;
  const Guide guide_;
  ConcurrencyLimiter requests_of_address_{kRequestsOfAddressMax};
  ConcurrencyLimiter requests_of_sign_in_{kRequestsOfSignInMax};
  ConcurrencyLimiter requests_of_user_{kRequestsOfUserMax};
  ConcurrencyLimiter streams_of_address_{kStreamsOfAddressMax};
  ConcurrencyLimiter streams_of_sign_in_{kStreamsOfSignInMax};
  SignedInUsers users_;
  Counts counts_;
};

}  // namespace pixledger::web
