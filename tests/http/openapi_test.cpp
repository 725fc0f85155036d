#include <Poco/InflatingStream.h>
#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <set>
#include <simdjson.h>
#include <sstream>

#include "base/text/ascii.h"
#include "http/api/endpoints.h"
#include "http/front/authentication.h"
#include "tests/support/paths.h"
#include "tests/support/servers/test_service.h"

namespace {

using namespace pixledger;

// "POST /api/v1/transactions transactions:write", or "GET /healthz public"; several scopes as routes name
// them.
using Lines = std::set<std::string>;

std::string upper(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), to_ascii_upper);
  return result;
}

// "/things/:id" → "/things/{id}"
std::string as_template(std::string_view pattern) {
  std::string result;
  bool in_parameter = false;
  for (const char c : pattern) {
    if (c == '/' && in_parameter) result += '}';
    if (c == '/') in_parameter = false;
    if (c == ':') in_parameter = true;
    result += c == ':' ? '{' : c;
  }
  return in_parameter ? result + '}' : result;
}

// Returns "public" without a requirement. Throws unless there is at most one, of an API key or of a user,
// which may have several scopes, all needed.
std::string access_of(simdjson::dom::element operation) {
  const simdjson::dom::array requirements = operation["security"];
  if (requirements.size() == 0) return "public";
  const auto requirement = requirements.at(0);
  const bool is_users = requirement["userToken"].error() == simdjson::SUCCESS;
  const simdjson::dom::array scopes = requirement[is_users ? "userToken" : "apiKey"];
  if (requirements.size() != 1) throw std::runtime_error("more than one requirement");
  std::string access;
  for (const auto scope : scopes) {
    if (!access.empty()) access += ',';
    access += scope.get_string().value();
  }
  return access;
}

Lines operations_of(simdjson::dom::element document) {
  Lines lines;
  const simdjson::dom::object paths = document["paths"];
  for (const auto path : paths) {
    const simdjson::dom::object operations = path.value;
    for (const auto operation : operations)
      lines.insert(upper(operation.key) + ' ' + std::string(path.key) + ' ' + access_of(operation.value));
  }
  return lines;
}

Lines lines_of(const std::vector<http::Route>& routes) {
  Lines lines;
  for (const auto& route : routes) {
    // For pixledger-web only, so not in merchants' document.
    if (route.scope == http::kPayerScope && route.pattern.starts_with("/api/v1/payer/")) continue;
    const std::string access = route.is_public ? "public" : std::string(route.scope);
    lines.insert(std::string(http::method_name(route.method)) + ' ' + as_template(route.pattern) + ' ' +
                 access);
  }
  return lines;
}

Lines without(const Lines& lines, const Lines& others) {
  Lines rest;
  std::set_difference(lines.begin(), lines.end(), others.begin(), others.end(),
                      std::inserter(rest, rest.end()));
  return rest;
}

std::string inflated(const std::string& compressed) {
  std::istringstream bytes(compressed);
  Poco::InflatingInputStream stream(bytes, Poco::InflatingStreamBuf::STREAM_GZIP);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

}  // namespace

TEST_CASE("the document describes exactly the existing routes, with the scope of each") {
  const tests::TestService service;
  simdjson::dom::parser parser;
  const simdjson::padded_string text(http::openapi_document());
  const auto described = operations_of(parser.parse(text));
  const auto routed = lines_of(service.routes());
  CHECK(without(described, routed) == Lines());
  CHECK(without(routed, described) == Lines());
}

TEST_CASE("the document is served without a key, byte for byte as it was written") {
  const tests::TestService service;
  std::stringstream file;
  file << std::ifstream(pixledger::tests::built_file("http/openapi.json")).rdbuf();

  const auto answer = service.send("GET", "/openapi.json", "");

  CHECK(answer.status == 200);
  CHECK(answer.headers.at("Content-Type") == "application/json");
  CHECK(answer.headers.at("Cache-Control") == "no-cache");
  REQUIRE(answer.body == file.str());
}

TEST_CASE("the document is compressed for clients that accept it, and is the same") {
  const tests::TestService service;
  const auto plain = service.send("GET", "/openapi.json", "");
  CHECK(plain.headers.at("Vary") == "Accept-Encoding");
  CHECK(plain.headers.count("Content-Encoding") == 0);
  for (const std::string accepted : {"gzip", "br, GZIP;q=0.5", "*", "deflate, *;q=0.1"}) {
    INFO(accepted);
    const auto answer = service.send("GET", "/openapi.json", "", "", {{"Accept-Encoding", accepted}});
    CHECK(answer.status == 200);
    CHECK(answer.headers.at("Content-Encoding") == "gzip");
    CHECK(answer.headers.at("Vary") == "Accept-Encoding");
    CHECK(answer.headers.at("ETag") != plain.headers.at("ETag"));
    CHECK(answer.body.size() < plain.body.size() / 5);
    REQUIRE(inflated(answer.body) == plain.body);
    const auto again =
        service.send("GET", "/openapi.json", "", "",
                     {{"Accept-Encoding", accepted}, {"If-None-Match", answer.headers.at("ETag")}});
    CHECK(again.status == 304);
  }
  for (const std::string accepted : {"", "identity", "gzip;q=0", "*;q=0", "gzip;q=0.000, *", "br"}) {
    INFO(accepted);
    const auto answer = service.send("GET", "/openapi.json", "", "", {{"Accept-Encoding", accepted}});
    CHECK(answer.headers.count("Content-Encoding") == 0);
    CHECK(answer.body == plain.body);
  }
}

TEST_CASE("a copy of the document that is up to date is not sent again") {
  const tests::TestService service;
  const auto etag = service.send("GET", "/openapi.json", "").headers.at("ETag");
  for (const auto& known : {etag, "W/" + etag, "\"other\", " + etag, std::string("*")}) {
    const auto answer = service.send("GET", "/openapi.json", "", "", {{"If-None-Match", known}});
    CHECK(answer.status == 304);
    CHECK(answer.headers.at("ETag") == etag);
    CHECK(answer.headers.count("Content-Length") == 0);
    CHECK(answer.body.empty());
  }
  CHECK(service.send("GET", "/openapi.json", "", "", {{"If-None-Match", "\"other\""}}).status == 200);
}
