#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/http/transport/exchange.h"
#include "base/platform/clock_and_entropy.h"
#include "base/platform/request_windows.h"
#include "web/common/limits.h"
#include "web/site/live_pages.h"
#include "web/site/pages/page.h"
#include "web/site/site_request.h"
#include "web/upstream/api_client.h"

namespace pixledger::web {

// The payers' pages: calls the API for each request and renders the result. Keeps no session's data.
// Thread-safe.
class PayerSite {
 public:
  static constexpr std::uint32_t kRequestsOfTokenMax = 300;  // a minute
  static constexpr std::uint32_t kUnknownOfAddressMax = 30;  // a minute
  // Concurrent requests of an address over kUnknownOfAddressMax.
  static constexpr std::size_t kPlacesOfGuesser = 2;
  // Concurrent requests of any address; carriers have many payers behind one.
  static constexpr std::size_t kRequestsOfAddressMax = 128;

  // All outlive it.
  struct Parts {
    ApiClient& api;
    LivePages& live;
    const Clock& clock;
    std::string origin;  // "https://pay.example.com", the origin of the pages
    // Called with the status when the API refuses the web key.
    std::function<void(int)> log_refused_key;
  };
  struct Counts {
    std::atomic<std::uint64_t> over_requests{0};  // by token
    std::atomic<std::uint64_t> over_streams{0};   // by token or address
    std::atomic<std::uint64_t> over_places{0};    // by address
    std::atomic<std::uint64_t> over_unknown{0};   // by address
    std::atomic<std::uint64_t> unknown{0};        // tokens
    std::atomic<std::uint64_t> cross_site{0};     // posts
  };

  explicit PayerSite(Parts parts) : parts_(std::move(parts)) {}

  // Replies to a request by its head alone, or sets its route and returns nullopt.
  std::optional<http::Reply> judge(http::Request& request);
  // Call on the connection's loop, after judge().
  void serve(const http::Responder& responder);

  const Counts& counts() const { return counts_; }

 private:
  struct Visit;
  using VisitPtr = std::shared_ptr<Visit>;
  using ThenReply = std::function<void(const VisitPtr&, const ApiReply&)>;

  VisitPtr begin_visit(const http::Responder& responder, const SiteRoute& route) const;
  PageRequest page_request(const http::Request& request, const SiteRoute& route) const;

  // Takes a place of the address; there are few if it has sent unknown tokens too often. Returns the seconds
  // to wait if all are taken.
  std::optional<std::int64_t> hold_back(Visit& visit);
  void ask(const VisitPtr& visit, std::string_view method, std::string_view what, std::string body,
           ThenReply then);
  void receive(const VisitPtr& visit, const std::optional<ApiReply>& reply, const ThenReply& then);
  // Calls `then` with the session in the reply, on the connection's loop.
  void with_session(const VisitPtr& visit, const ApiReply& reply,
                    const std::function<void(const PayerSession&)>& then);

  void show_page(const VisitPtr& visit);
  void show_receipt(const VisitPtr& visit);
  void show_proof(const VisitPtr& visit);
  void show_logo(const VisitPtr& visit);
  void follow(const VisitPtr& visit);
  void change(const VisitPtr& visit, std::string_view what);
  void show_refusal(const VisitPtr& visit, const ApiReply& refusal);

  void answer_gone(const VisitPtr& visit);
  void answer_unavailable(const VisitPtr& visit);
  void answer_too_many(const VisitPtr& visit, std::int64_t wait_s);

  const Parts parts_;
  RequestWindows<> of_token_{kRequestsOfTokenMax};
  RequestWindows<> unknown_of_address_{kUnknownOfAddressMax};
  ConcurrencyLimiter of_guessers_{kPlacesOfGuesser};
  ConcurrencyLimiter of_addresses_{kRequestsOfAddressMax};
  Counts counts_;
};

}  // namespace pixledger::web
