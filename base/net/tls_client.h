#pragma once

#include <Poco/Net/Context.h>
#include <string>

namespace pixledger {

// TLS 1.2 or newer that verifies the other side's certificate and host name. `ca_file`: certificates to trust
// beyond the system's, PEM; empty: none. Throws Poco::Exception when it cannot be read.
Poco::Net::Context::Ptr make_tls_client_context(const std::string& ca_file);

// The same, but it trusts nobody yet.
Poco::Net::Context::Ptr make_trustless_tls_client_context();

}  // namespace pixledger
