#pragma once

#include <string>

#include "tests/support/servers/test_service.h"

// What tests of checkout sessions and of their payers' pages begin with.
namespace pixledger::tests {

inline const std::string kCheckoutPath = "/api/v1/checkout/sessions";
inline const std::string kPayersPath = "/api/v1/payer/sessions/";
// What the pages' server shows.
inline const std::string kWebKey = "wk_of_a_test";
// What a payer types.
inline const std::string kPayer =
    R"({"name":"Ana Lima","document":"52998224725","email":"ana@example.com","phone":"11987654321"})";

// A server with pages at https://pay.example.com and kWebKey, whose webhooks may go to this machine.
TestServiceOptions with_pages();

// A session's body with no more than it needs, and the members of `more`: `"locale":"en"`.
std::string checkout_body(const std::string& more = "");

// The end of a session's link, out of the answer that shows it.
std::string token_of(const HttpAnswer& session);

// What the pages' server asks of a session.
HttpAnswer ask_as_payer(const TestService& service, const std::string& method, const HttpAnswer& session,
                        const std::string& operation = "", const std::string& body = "");

}  // namespace pixledger::tests
