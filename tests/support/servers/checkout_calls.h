#pragma once

#include <string>

#include "tests/support/servers/test_service.h"

// Common parts of tests of checkout sessions and of their payers' pages.
namespace pixledger::tests {

inline const std::string kCheckoutPath = "/api/v1/checkout/sessions";
inline const std::string kPayersPath = "/api/v1/payer/sessions/";
// The key of pixledger-web.
inline const std::string kWebKey = "wk_of_a_test";
// A payer's form, as JSON.
inline const std::string kPayer =
    R"({"name":"Ana Lima","document":"52998224725","email":"ana@example.com","phone":"11987654321"})";

// A server with pages at https://pay.example.com and kWebKey, whose webhooks may go to this machine.
TestServiceOptions with_pages();

// A session's body with the required members and those of `more`: `"locale":"en"`.
std::string checkout_body(const std::string& more = "");

// The token in a session's link, from the answer that shows it.
std::string token_of(const HttpAnswer& session);

// Calls the payer API of a session, as pixledger-web does.
HttpAnswer ask_as_payer(const TestService& service, const std::string& method, const HttpAnswer& session,
                        const std::string& operation = "", const std::string& body = "");

}  // namespace pixledger::tests
