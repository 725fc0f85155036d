#include "base/http/json/error_reply.h"

#include <catch2/catch.hpp>

using namespace pixledger;
using namespace pixledger::http;

namespace {

Request request_accepting(std::string_view accept) {
  Request request;
  request.request_id = "req_1";
  if (!accept.empty()) request.headers.add("accept", accept);
  return request;
}

const ErrorBody kError{400,
                       kInvalid,
                       "Say \"please\".",
                       {{"payment.amountCents", "must be an integer"}, {"customer", "must be there"}}};

}  // namespace

TEST_CASE("an error has the interface's shape, with every violation") {
  const Reply reply = error_reply(request_accepting(""), kError);
  CHECK(reply.status == 400);
  CHECK(reply.content_type == "application/json");
  CHECK(reply.body == R"({"success":false,"code":"ERR_VALIDATION_001","message":"Say \"please\".",)"
                      R"("details":[{"field":"payment.amountCents","reason":"must be an integer"},)"
                      R"({"field":"customer","reason":"must be there"}],"requestId":"req_1"})");
}

TEST_CASE("an error is problem details for callers that accept them by name") {
  for (const char* accept : {"application/problem+json", "text/html, Application/Problem+JSON;q=0.5",
                             "application/problem+json;q=1.0", "application/json, application/problem+json",
                             "application/json;q=0.8, application/problem+json;q=0.81",
                             "application/problem+json;q=0.001, */*;q=0.5"}) {
    const Reply reply = error_reply(request_accepting(accept), kError);
    CHECK(reply.content_type == "application/problem+json");
    REQUIRE(reply.headers.size() == 1);
    CHECK((reply.headers[0].name == "Vary" && reply.headers[0].value == "Accept"));
    CHECK(
        reply.body ==
        R"({"type":"about:blank","title":"Bad Request","status":400,"detail":"Say \"please\".",)"
        R"("code":"ERR_VALIDATION_001","details":[{"field":"payment.amountCents","reason":"must be an integer"},)"
        R"({"field":"customer","reason":"must be there"}],"requestId":"req_1"})");
  }
}

TEST_CASE("other callers get the interface's shape") {
  for (const char* accept :
       {"*/*", "application/json", "application/problem+json;q=0", "application/problem+json; Q=0.000",
        "application/problem+jsonx", ";,", "application/json, application/problem+json;q=0.9",
        "application/problem+json;q=0.5, application/json;q=0.51"}) {
    const Reply reply = error_reply(request_accepting(accept), kError);
    CHECK(reply.content_type == "application/json");
    REQUIRE(reply.headers.size() == 1);
    CHECK((reply.headers[0].name == "Vary" && reply.headers[0].value == "Accept"));
  }
}

TEST_CASE("a transport error names its status, and 503 asks to come back") {
  const Reply not_found = transport_error_reply(request_accepting(""), 404, "No.");
  CHECK(not_found.body ==
        R"({"success":false,"code":"ERR_HTTP_404","message":"No.","details":[],"requestId":"req_1"})");
  CHECK(not_found.headers.size() == 1);
  const Reply busy = transport_error_reply(request_accepting(""), 503, "Later.");
  REQUIRE(busy.headers.size() == 2);
  CHECK(busy.headers[1].name == "Retry-After");
}
