#pragma once

#include <string_view>

namespace pixledger::web {

// Whether a text has the form of the token in a payment link: a session's id, a dot, and 22 characters of
// base64url. Whether there is such a session the API says.
bool is_page_token(std::string_view text);

// Of what has that form.
inline std::string_view session_of(std::string_view token) { return token.substr(0, token.find('.')); }

}  // namespace pixledger::web
