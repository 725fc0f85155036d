#pragma once

#include <string>

#include "workers/banks/api_pix/bank_transport.h"

namespace pixledger::tools {

// What an operator can do where TLS with a bank does not come about.
std::string advice_for(workers::TlsFault fault);

}  // namespace pixledger::tools
