#include "http/routing/router.h"

#include <catch2/catch.hpp>
#include <stdexcept>

using namespace pixledger;
using namespace pixledger::http;

namespace {

Handler says(std::string text) {
  return [text](const Request& request) {
    Reply reply{200, text, kJson, {}};
    for (const PathParameter& parameter : request.path_parameters) {
      reply.body.append(" ").append(parameter.name).append("=").append(parameter.value);
    }
    return reply;
  };
}

const Guard kLetIn = [](Request&, const Route&) { return std::optional<Reply>(); };
const Guard kKeepOut = [](Request&, const Route& route) {
  return std::optional(Reply{401, std::string(route.scope), kJson, {}});
};

Router make_router(Guard guard = kLetIn) {
  std::vector<Route> routes;
  const auto add = [&](Method method, std::string_view pattern, bool is_public = false) {
    const std::string text = std::string(method_name(method)).append(" ").append(pattern);
    routes.push_back({method, pattern, "things:read", is_public, says(text)});
  };
  add(Method::kGet, "/");
  add(Method::kGet, "/healthz", true);
  add(Method::kGet, "/api/v1/things");
  add(Method::kPost, "/api/v1/things");
  add(Method::kGet, "/api/v1/things/:id");
  add(Method::kGet, "/api/v1/things/events");
  add(Method::kPost, "/api/v1/things/:thingId/parts/:partId");
  add(Method::kDelete, "/api/v1/:kind/all");
  return Router(std::move(routes), std::move(guard));
}

Request request_for(Method method, std::string path) {
  Request request;
  request.method = method;
  request.path = std::move(path);
  return request;
}

Reply serve(const Router& router, Request& request) {
  if (auto refused = router.route(request)) return *std::move(refused);
  if (auto refused = router.admit(request)) return *std::move(refused);
  if (auto refused = router.refuse_body(request)) return *std::move(refused);
  return std::get<Reply>(router.route_of(request).handler(request));
}

Reply serve(const Router& router, Method method, std::string path) {
  Request request = request_for(method, std::move(path));
  return serve(router, request);
}

std::string header(const Reply& reply, std::string_view name) {
  for (const ReplyHeader& header : reply.headers) {
    if (header.name == name) return header.value;
  }
  return {};
}

}  // namespace

TEST_CASE("a route is found by method and path") {
  const Router router = make_router();
  CHECK(serve(router, Method::kGet, "/").body == "GET /");
  CHECK(serve(router, Method::kGet, "/healthz").body == "GET /healthz");
  CHECK(serve(router, Method::kGet, "/api/v1/things").body == "GET /api/v1/things");
  CHECK(serve(router, Method::kPost, "/api/v1/things").body == "POST /api/v1/things");
  CHECK(serve(router, Method::kGet, "/api/v1/things/7").body == "GET /api/v1/things/:id id=7");
  CHECK(serve(router, Method::kPost, "/api/v1/things/7/parts/8").body ==
        "POST /api/v1/things/:thingId/parts/:partId thingId=7 partId=8");
}

TEST_CASE("a trailing slash does not matter") {
  const Router router = make_router();
  CHECK(serve(router, Method::kGet, "/healthz/").body == "GET /healthz");
  CHECK(serve(router, Method::kGet, "/api/v1/things/7/").body == "GET /api/v1/things/:id id=7");
}

TEST_CASE(
    "a literal segment goes before a parameter, and a parameter is tried when the literal leads nowhere") {
  const Router router = make_router();
  CHECK(serve(router, Method::kGet, "/api/v1/things/events").body == "GET /api/v1/things/events");
  CHECK(serve(router, Method::kDelete, "/api/v1/other/all").body == "DELETE /api/v1/:kind/all kind=other");
  CHECK(serve(router, Method::kPost, "/api/v1/things/events/parts/1").status == 200);
}

TEST_CASE("path parameters are percent-decoded, plus stays plus") {
  CHECK(serve(make_router(), Method::kGet, "/api/v1/things/a%2Fb+%C3%A3").body ==
        "GET /api/v1/things/:id id=a/b+ã");
}

TEST_CASE("a literal segment has one spelling, so that a proxy's rules match it") {
  for (const char* path : {"/api/v1/th%69ngs", "/%61pi/v1/things", "/api/v1%2Fthings", "/healthz%2F"})
    CHECK(serve(make_router(), Method::kGet, path).status == 404);
}

TEST_CASE("a broken escape in a path parameter is a violation that names it") {
  for (const char* path :
       {"/api/v1/things/%", "/api/v1/things/%4", "/api/v1/things/%gg", "/api/v1/things/%FF"}) {
    const Reply reply = serve(make_router(), Method::kGet, path);
    CHECK(reply.status == 400);
    CHECK(reply.body.find("ERR_VALIDATION_001") != std::string::npos);
    CHECK(reply.body.find(R"("field":"id")") != std::string::npos);
  }
}

TEST_CASE("an unknown path is 404, before authentication") {
  const Router router = make_router(kKeepOut);
  for (const char* path :
       {"/nothing", "/api", "/api/v1", "/api/v1/things/7/parts", "//healthz", "/api//v1/things",
        "/api/v1/things//", "/healthz/x", "/HEALTHZ", "/a/b/c/d/e/f/g/h/i/j/k/l/m/n", "/%zz"}) {
    const Reply reply = serve(router, Method::kGet, path);
    CHECK(reply.status == 404);
    CHECK(reply.body.find("ERR_HTTP_404") != std::string::npos);
  }
}

TEST_CASE("a method that the path does not support is 405 with Allow, before authentication") {
  const Router router = make_router(kKeepOut);
  for (const Method method : {Method::kPut, Method::kDelete, Method::kOther}) {
    const Reply reply = serve(router, method, "/api/v1/things");
    CHECK(reply.status == 405);
    CHECK(reply.body.find("ERR_HTTP_405") != std::string::npos);
    CHECK(header(reply, "Allow") == "GET, HEAD, POST, OPTIONS");
  }
  CHECK(header(serve(router, Method::kHead, "/api/v1/other/all"), "Allow") == "DELETE, OPTIONS");
}

TEST_CASE("OPTIONS lists the allowed methods and needs no key") {
  const Router router = make_router(kKeepOut);
  const Reply reply = serve(router, Method::kOptions, "/api/v1/things/");
  CHECK(reply.status == 204);
  CHECK(reply.body.empty());
  CHECK(header(reply, "Allow") == "GET, HEAD, POST, OPTIONS");
  CHECK(header(serve(router, Method::kOptions, "*"), "Allow") == "GET, HEAD, POST, DELETE, OPTIONS");
  CHECK(serve(router, Method::kOptions, "/nothing").status == 404);
}

TEST_CASE("HEAD is served by the route of GET") {
  CHECK(serve(make_router(), Method::kHead, "/api/v1/things/7").body == "GET /api/v1/things/:id id=7");
}

TEST_CASE("the guard is called for every route that is not public, before parameters and body are checked") {
  const Router router = make_router(kKeepOut);
  CHECK(serve(router, Method::kGet, "/healthz").status == 200);
  CHECK(serve(router, Method::kGet, "/api/v1/things").status == 401);
  CHECK(serve(router, Method::kHead, "/api/v1/things").status == 401);
  CHECK(serve(router, Method::kGet, "/api/v1/things/%zz").status == 401);
  Request request = request_for(Method::kPost, "/api/v1/things");
  request.headers.add("Content-Type", "text/plain");
  request.body.append("x");
  const Reply reply = serve(router, request);
  CHECK(reply.status == 401);
  CHECK(reply.body == "things:read");
  CHECK(request.route_pattern == "/api/v1/things");
}

TEST_CASE("a body must be JSON in UTF-8") {
  const Router router = make_router();
  const auto status_of = [&](std::string_view content_type, std::string body) {
    Request request = request_for(Method::kPost, "/api/v1/things");
    if (!content_type.empty()) request.headers.add("content-type", content_type);
    request.body = std::move(body);
    return serve(router, request).status;
  };
  for (const char* type : {"", "application/json", "Application/JSON", "application/json; charset=utf-8",
                           "application/json;charset=\"UTF-8\"", "application/json; profile=x",
                           "application/json; charset=utf8", "application/json; Charset=\"Utf8\"",
                           "application/json; charset='utf-8';", "application/json;charset=US-ASCII"}) {
    CHECK(status_of(type, "{}") == 200);
  }
  for (const char* type :
       {"text/plain", "application/x-www-form-urlencoded", "application/json; charset=latin1",
        "application/jsonp", "application/problem+json", ";"}) {
    CHECK(status_of(type, "{}") == 415);
    CHECK(status_of(type, "") == 200);
  }
}

TEST_CASE("a compressed body is refused with that reason") {
  const Router router = make_router();
  const auto serve_encoded = [&](std::string_view encoding) {
    Request request = request_for(Method::kPost, "/api/v1/things");
    request.headers.add("Content-Encoding", encoding);
    request.body = "{}";
    return serve(router, request);
  };
  for (const char* encoding : {"gzip", "br", "identity, gzip"}) {
    const Reply reply = serve_encoded(encoding);
    CHECK(reply.status == 415);
    CHECK(header(reply, "Accept-Encoding") == "identity");
  }
  for (const char* encoding : {"", "identity", "Identity"}) CHECK(serve_encoded(encoding).status == 200);
}

TEST_CASE("the same method and pattern twice is a mistake in the table") {
  std::vector<Route> routes;
  routes.push_back({Method::kGet, "/things/:id", "", false, says("")});
  routes.push_back({Method::kGet, "/things/:thingId", "", false, says("")});
  CHECK_THROWS_AS(Router(std::move(routes), kLetIn), std::logic_error);
}
