#pragma once

#include <Poco/Net/Context.h>
#include <string>
#include <vector>

#include "base/values/timestamp.h"

namespace pixledger::workers {

// Who a listener for callbacks is, and whom it lets in.
struct CallbackTlsFiles {
  std::string certificate{};              // PEM with its chain; empty: there is no TLS
  std::string key{};                      // PEM
  std::vector<std::string> client_cas{};  // PEM; whose certificates callers have to show
};

// TLS 1.2 or newer; callers without a certificate of these authorities come no further than the handshake. As
// the files are now. Throws std::runtime_error, which names the file and the reason, when one cannot be read,
// is none, or certificate and key do not belong together.
Poco::Net::Context::Ptr make_callback_tls(const CallbackTlsFiles& files);

// When the certificate that it shows ends.
Timestamp end_of_certificate(const Poco::Net::Context& context);

}  // namespace pixledger::workers
