#include "http/routing/router.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <stdexcept>

#include "base/http/json/error_reply.h"
#include "base/http/message/request.h"
#include "base/http/message/syntax.h"
#include "base/text/ascii.h"

namespace pixledger::http {
namespace {

constexpr std::size_t kSegmentsMax = 12;

struct Segments {
  std::array<std::string_view, kSegmentsMax> items;
  std::size_t count = 0;
};

// nullopt if there are more segments than in any route.
std::optional<Segments> split(std::string_view path) {
  Segments segments;
  if (!path.empty() && path.front() == '/') path.remove_prefix(1);
  if (!path.empty() && path.back() == '/') path.remove_suffix(1);
  if (path.empty()) return segments;
  for (;;) {
    if (segments.count == kSegmentsMax) return std::nullopt;
    const std::size_t end = path.find('/');
    segments.items[segments.count++] = path.substr(0, end);
    if (end == std::string_view::npos) return segments;
    path.remove_prefix(end + 1);
  }
}

// Accepts the common names of UTF-8 and of ASCII, its subset.
bool is_utf8_charset(std::string_view value) {
  if (value.size() >= 2 && (value.front() == '"' || value.front() == '\'') && value.back() == value.front())
    value = value.substr(1, value.size() - 2);
  constexpr std::array<std::string_view, 4> kNames{"utf-8", "utf8", "us-ascii", "ascii"};
  return std::any_of(kNames.begin(), kNames.end(),
                     [&](std::string_view name) { return equal_without_case(value, name); });
}

// application/json without another charset than UTF-8. A missing type counts as JSON.
bool is_json(const Request& request) {
  std::string_view rest = request.headers.find("Content-Type").value_or(std::string_view());
  if (rest.empty()) return true;
  if (!equal_without_case(next_item(rest, ';'), kJson)) return false;
  while (!rest.empty()) {
    std::string_view value = next_item(rest, ';');
    const std::string_view name = next_item(value, '=');
    if (equal_without_case(name, "charset") && !is_utf8_charset(value)) return false;
  }
  return true;
}

bool is_file(const Request& request) {
  auto type = request.headers.find("Content-Type").value_or(std::string_view());
  return equal_without_case(next_item(type, ';'), kFileType);
}

bool is_compressed(const Request& request) {
  const std::string encoding = request.headers.joined("Content-Encoding");
  return !encoding.empty() && !equal_without_case(encoding, "identity");
}

void add_method(std::string& allow, Method method) {
  const auto add = [&](std::string_view name) {
    if (!allow.empty()) allow += ", ";
    allow += name;
  };
  add(method_name(method));
  if (method == Method::kGet) add(method_name(Method::kHead));
}

}  // namespace

struct Router::Node {
  std::vector<std::pair<std::string_view, std::unique_ptr<Node>>> literals;
  std::unique_ptr<Node> parameter;
  std::vector<const Route*> routes;
  std::string allow;  // the Allow header of its routes

  const Node* find(const Segments& segments, std::size_t depth) const;
};

const Router::Node* Router::Node::find(const Segments& segments, std::size_t depth) const {
  if (depth == segments.count) return routes.empty() ? nullptr : this;
  const std::string_view segment = segments.items[depth];
  for (const auto& [literal, node] : literals) {
    if (segment != literal) continue;
    if (const Node* found = node->find(segments, depth + 1)) return found;
  }
  return parameter && !segment.empty() ? parameter->find(segments, depth + 1) : nullptr;
}

Router::Router(std::vector<Route> routes, Guard guard)
    : routes_(std::move(routes)), guard_(std::move(guard)), root_(std::make_unique<Node>()) {
  for (const Route& route : routes_) {
    insert(route);
    const std::string_view name = method_name(route.method);
    if (allow_anything_.find(name) == std::string::npos) add_method(allow_anything_, route.method);
  }
  allow_anything_ += ", OPTIONS";
}

Router::~Router() = default;

void Router::insert(const Route& route) {
  const std::optional<Segments> segments = split(route.pattern);
  if (!segments) throw std::logic_error("too many segments in route " + std::string(route.pattern));
  Node* node = root_.get();
  for (std::size_t i = 0; i < segments->count; ++i) {
    const std::string_view segment = segments->items[i];
    std::unique_ptr<Node>* next = &node->parameter;
    if (segment.substr(0, 1) != ":") {
      const auto same = [&](const auto& literal) { return literal.first == segment; };
      auto found = std::find_if(node->literals.begin(), node->literals.end(), same);
      if (found == node->literals.end()) found = node->literals.insert(found, {segment, nullptr});
      next = &found->second;
    }
    if (!*next) *next = std::make_unique<Node>();
    node = next->get();
  }
  const auto same = [&](const Route* other) { return other->method == route.method; };
  if (std::any_of(node->routes.begin(), node->routes.end(), same)) {
    throw std::logic_error("route given twice: " + std::string(route.pattern));
  }
  node->routes.push_back(&route);
  add_method(node->allow, route.method);
}

namespace {

Violations decode_parameters(const Route& route, Request& request) {
  Violations violations;
  const Segments segments = *split(request.path);
  const Segments pattern = *split(route.pattern);
  for (std::size_t i = 0; i < pattern.count; ++i) {
    if (pattern.items[i].substr(0, 1) != ":") continue;
    const std::string_view name = pattern.items[i].substr(1);
    std::optional<std::string> value = percent_decode(segments.items[i], Plus::kIsPlus);
    if (value) {
      request.path_parameters.push_back({name, std::move(*value)});
    } else {
      violations.push_back({std::string(name), "must be percent-encoded UTF-8"});
    }
  }
  return violations;
}

}  // namespace

std::optional<Reply> Router::route(Request& request) const {
  const bool asks_options = request.method == Method::kOptions;
  if (asks_options && request.path == "*")
    return Reply{.status = 204, .body = {}, .headers = {{"Allow", allow_anything_}}};

  const std::optional<Segments> segments = split(request.path);
  const Node* node = segments ? root_->find(*segments, 0) : nullptr;
  if (!node) return transport_error_reply(request, 404, "There is nothing at this path.");
  const Method wanted = request.method == Method::kHead ? Method::kGet : request.method;
  for (const Route* route : node->routes) {
    if (route->method != wanted) continue;
    request.route_pattern = route->pattern;
    request.route_number = static_cast<std::size_t>(route - routes_.data()) + 1;
    return std::nullopt;
  }
  const ReplyHeader allow{"Allow", node->allow + ", OPTIONS"};
  if (asks_options) return Reply{.status = 204, .body = {}, .headers = {allow}};
  Reply reply = transport_error_reply(request, 405, "This path does not support the method; see Allow.");
  reply.headers.push_back(allow);
  return reply;
}

std::optional<Reply> Router::admit(Request& request) const {
  const Route& route = route_of(request);
  if (!route.is_public) {
    if (std::optional<Reply> refused = guard_(request, route)) return refused;
  }
  request.is_lenient = prefers_lenient(request.headers);
  if (request.is_lenient) request.reply_headers.push_back({"Preference-Applied", "handling=lenient"});
  Violations violations = decode_parameters(route, request);
  if (!violations.empty()) return validation_reply(request, std::move(violations));
  return std::nullopt;
}

std::optional<Reply> Router::refuse_body(const Request& request) const {
  const bool takes_file = route_of(request).file_bytes_max > 0;
  if (request.body.empty()) return std::nullopt;
  if (takes_file && !is_file(request))
    return transport_error_reply(request, 415, "The body must be a file, as application/octet-stream.");
  if (!takes_file && !is_json(request))
    return transport_error_reply(request, 415, "The body must be application/json in UTF-8.");
  if (!is_compressed(request)) return std::nullopt;
  Reply reply = transport_error_reply(request, 415, "The body must be sent without a Content-Encoding.");
  reply.headers.push_back({"Accept-Encoding", "identity"});
  return reply;
}

}  // namespace pixledger::http
