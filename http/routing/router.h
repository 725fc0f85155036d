#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/http/message/reply.h"
#include "base/http/message/request.h"
#include "http/routing/answer.h"

namespace pixledger::http {

// May throw: a fault, which is answered 503. Called from many threads at once.
using Handler = std::function<Answer(const Request&)>;

// One row of the routing table.
struct Route {
  Method method;             // kGet serves HEAD too
  std::string_view pattern;  // a literal of segments; ":name" matches one; no trailing slash
  // A literal such as "transactions:read" that the key must have or the user's role allow; empty: any caller.
  std::string_view scope;
  bool is_public = false;  // needs no key
  Handler handler;
  // Whether a request may take over a millisecond, so that it needs the pool; null: never.
  bool (*takes_long)(const Request&) = nullptr;
  // Whether the request hashes a password; few may at a time, for the memory. Null: never.
  bool (*hashes_password)(const Request&) = nullptr;
  bool asks_name_servers = false;  // may wait seconds for name servers; needs takes_long, too
  bool reads_views = false;        // the views must show everything recorded before the request
  bool asks_confirmation = false;  // users must have confirmed their identity recently
  // Above 0: the body is a file of any kind (kFileType) of at most so many bytes. Otherwise it is JSON.
  std::size_t file_bytes_max = 0;
  // Whether the command decides the whole outcome now; null: never. Errors in the body may then be reported
  // on slightly older state.
  std::function<bool()> only_commands = nullptr;
};

// Runs before the handler of a route that is not public: authentication, rate, scope. Sets request.caller, or
// replies instead of the handler.
using Guard = std::function<std::optional<Reply>(Request&, const Route&)>;

// The routing table. Immutable after construction, so thread-safe.
//
// The order of checks is part of the interface: route (404, 405 with Allow), guard, path parameters (400),
// content type of the body (415), handler. A trailing slash is ignored, an empty segment matches nothing, and
// literal segments precede parameters. GET serves HEAD; OPTIONS answers 204 with Allow and needs no key.
class Router {
 public:
  // Throws std::logic_error if two routes have the same method and pattern.
  Router(std::vector<Route> routes, Guard guard);
  ~Router();
  Router(const Router&) = delete;
  Router& operator=(const Router&) = delete;

  // Replies to a request that matches no route or needs none. Otherwise sets the request's route and returns
  // nullopt.
  std::optional<Reply> route(Request& request) const;
  // Checks a routed request by its head: the reply if no handler may take it.
  std::optional<Reply> admit(Request& request) const;
  // Checks an admitted request's body once it is there: the reply if no handler may take it.
  std::optional<Reply> refuse_body(const Request& request) const;
  // The request must be routed.
  const Route& route_of(const Request& request) const { return routes_[request.route_number - 1]; }
  const std::vector<Route>& routes() const { return routes_; }

 private:
  struct Node;

  void insert(const Route& route);

  std::vector<Route> routes_;
  Guard guard_;
  std::unique_ptr<Node> root_;
  std::string allow_anything_;  // for OPTIONS *
};

}  // namespace pixledger::http
