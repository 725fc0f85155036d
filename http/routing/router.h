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

// May throw: that is a fault, which is answered 503. Called from many threads at once.
using Handler = std::function<Answer(const Request&)>;

// One row of the routing table.
struct Route {
  Method method;             // kGet serves HEAD too
  std::string_view pattern;  // a literal: segments, ":name" takes one; no trailing slash
  // A literal that the key must have or the user's role allow, "transactions:read"; empty: any will do.
  std::string_view scope;
  bool is_public = false;  // needs no key
  Handler handler;
  // Whether a request may take longer than a millisecond, and so has to be worked on apart; null: never.
  bool (*takes_long)(const Request&) = nullptr;
  // Whether a password is hashed for it, which takes much memory: few are at a time. Null: never.
  bool (*hashes_password)(const Request&) = nullptr;
  bool asks_name_servers = false;  // may wait for them for seconds; takes long, too
  bool reads_views = false;        // which have to show all that was recorded before the request
  bool asks_confirmation = false;  // users have to have proven a moment ago who they are
  // Above 0: its body is a file of any kind (kFileType) of at most so many bytes. Otherwise it is JSON.
  std::size_t file_bytes_max = 0;
  // Whether all that a request comes to is decided with its command, now; null: never. What is wrong with its
  // body may then be told by what was known a moment ago.
  std::function<bool()> only_commands = nullptr;
};

// Runs before the handler of a route that is not public: authentication, rate, scope. Sets request.caller, or
// answers instead of the handler.
using Guard = std::function<std::optional<Reply>(Request&, const Route&)>;

// The one routing table. Immutable after construction, so safe from any thread.
//
// The order of checks is that of the interface: route (404, 405 with Allow), guard, path parameters (400),
// content type of the body (415), handler. A trailing slash never matters, an empty segment matches nothing,
// and a literal segment goes before a parameter. HEAD is served by GET; OPTIONS answers 204 with Allow and
// needs no key.
class Router {
 public:
  // Throws std::logic_error when two routes have the same method and pattern.
  Router(std::vector<Route> routes, Guard guard);
  ~Router();
  Router(const Router&) = delete;
  Router& operator=(const Router&) = delete;

  // The answer of a request that no route takes, or that asks for none. Otherwise the request knows its route
  // from then on.
  std::optional<Reply> route(Request& request) const;
  // The answer of a routed request that reaches no handler, as far as its head tells.
  std::optional<Reply> admit(Request& request) const;
  // Once the body of an admitted request is there: why no handler gets it.
  std::optional<Reply> refuse_body(const Request& request) const;
  // Of a routed request.
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
