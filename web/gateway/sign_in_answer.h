#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace pixledger::web {

// What the API answers of a sign-in, without what no page may see.
struct SignInAnswer {
  std::string body;                  // as it was but for the token
  std::optional<std::string> token;  // "us_…"
};

// nullopt when it is no answer of the API's, or has a token in another place than `data.token`.
std::optional<SignInAnswer> take_token(std::string_view answer);

}  // namespace pixledger::web
