#pragma once

#include <functional>
#include <string>

#include "tests/support/servers/test_service.h"

// Calls that many tests of the API make.
namespace pixledger::tests {

// The id of a new charge of creation_body().
std::string create_charge(const TestService& service, const std::string& key);

// The id of a charge's customer.
std::string customer_of(const TestService& service, const std::string& key, const std::string& charge);

// "paid", as in the answer of the status check.
std::string status_of(const TestService& service, const std::string& key, const std::string& charge);

// The body of a customer with every field.
std::string customer_body(const std::string& name = "Maria Silva",
                          const std::string& document = "52998224725");

// "400 ERR_TRANSACTION_002", or "200" for a success.
std::string outcome_of(const HttpAnswer& answer);

// Sends a request under an Idempotency-Key, lets `later` change the state, and checks that a repeat gets
// the first answer byte for byte and records nothing. Returns that answer.
HttpAnswer check_repeats(TestService& service, const std::string& method, const std::string& path,
                         const std::string& key, const std::string& body, const std::function<void()>& later);

}  // namespace pixledger::tests
