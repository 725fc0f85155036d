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
#include "web/gateway/sign_in.h"
#include "web/upstream/api_relay.h"

namespace pixledger::web {

// Whose sign-ins were asked with lately, as the API's answers have said, so that all sign-ins of a user count
// together. Thread-safe.
//
// Memory is bounded: it begins anew with kMost.
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

// The dashboard's own files. Compressed once, when it is made; then for all threads. Outlives its replies.
class DashboardFiles {
 public:
  DashboardFiles();

  // A page of the dashboard. 304 to who has it.
  http::Reply document(const http::Request& request) const;
  // nullopt when there is none of that path.
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

// The dashboard: its files, and behind them the API for its pages and no others. The cookie of a sign-in
// becomes the credentials that the API knows, and the token of a new one the cookie. Knows who is signed in
// no more than the API says; judges neither roles nor rates. Thread-safe.
class DashboardSite {
 public:
  // At a time.
  static constexpr std::size_t kRequestsOfAddressMax = 64;
  static constexpr std::size_t kRequestsOfSignInMax = 24;
  static constexpr std::size_t kRequestsOfUserMax = 48;  // of all their sign-ins
  static constexpr std::size_t kStreamsOfAddressMax = 64;
  static constexpr std::size_t kStreamsOfSignInMax = 8;

  // All outlive it.
  struct Parts {
    ApiRelay& relay;
    // The API answered of a sign-in what is not passed on.
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

  // `url`: where browsers reach it.
  DashboardSite(Parts parts, const HttpUrl& url)
      : parts_(std::move(parts)), origin_(url), cookie_(url.is_tls) {}

  // What is answered by a request's head alone. Names its route otherwise.
  std::optional<http::Reply> judge(http::Request& request);
  // Whether it comes with a sign-in that the API has answered before.
  bool knows_sign_in(const http::Request& request) const;
  // On the connection's loop, of a request that was judged.
  void serve(const http::Responder& responder);

  const Counts& counts() const { return counts_; }

 private:
  // One request that waits for the API.
  struct Passage {
    http::Responder responder;
    SignInStep step;
    std::string token;    // that it was asked with; may be empty
    std::string sign_in;  // a name of it, so that tokens are kept nowhere; empty with it
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
  // What the browser is to keep of a sign-in; false when the answer cannot be passed on.
  bool keep_sign_in(const Passage& passage, ApiReply& reply, std::optional<std::string>& cookie) const;

  const Parts parts_;
  const BrowserOrigin origin_;
  const SignInCookie cookie_;
  const DashboardFiles files_;
  ConcurrencyLimiter requests_of_address_{kRequestsOfAddressMax};
  ConcurrencyLimiter requests_of_sign_in_{kRequestsOfSignInMax};
  ConcurrencyLimiter requests_of_user_{kRequestsOfUserMax};
  ConcurrencyLimiter streams_of_address_{kStreamsOfAddressMax};
  ConcurrencyLimiter streams_of_sign_in_{kStreamsOfSignInMax};
  SignedInUsers users_;
  Counts counts_;
};

}  // namespace pixledger::web
