#pragma once

#include <string>
#include <string_view>

#include "domain/values/cuid.h"

// Where a bank calls back: `BASE/<connection>/<secret>`. The ledger notes it without its secret, and nobody
// is shown that.
namespace pixledger::tools {

// BASE/<connection>, of a scheme, host, port and prefix. Throws UsageError that names --url.
std::string callback_address(const std::string& base, const domain::ConnectionId& connection,
                             bool allow_http);

// What the bank is told.
std::string with_secret(std::string_view address, std::string_view secret);
// The address with its secret left out: "https://pix.example.com/c…/…". Of any URL whatever its last part.
std::string masked(std::string_view url);

}  // namespace pixledger::tools
