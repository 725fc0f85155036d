#pragma once

#include <string_view>

namespace pixledger::http {

// The standard's phrase for a status (RFC 9110 §15, RFC 6585); "Error" or "OK" for one this server never
// sends.
std::string_view status_text(int status);

}  // namespace pixledger::http
