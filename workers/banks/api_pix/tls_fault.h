#pragma once

#include <Poco/Net/Context.h>
#include <string>
#include <string_view>

namespace pixledger::workers {

// Why TLS with a bank did not come about, as far as that can be told: what an operator can do differs.
enum class TlsFault {
  kNone,             // it is none of these
  kUnknownIssuer,    // the server's certificates lead to no authority that is trusted
  kIncompleteChain,  // likewise, and it has sent none but its own
  kOutOfDate,        // of its certificates one is not valid today
  kOtherName,        // its certificate is another host's
  kBadCertificate,   // its certificates are refused for something else
  kNoRenegotiation,  // it knows nothing of secure renegotiation (RFC 5746)
  kTooWeak,          // its group, key or signature is below OpenSSL's security level
  kOldProtocol,      // it speaks nothing as new as TLS 1.2
  kNothingShared,    // it refuses the handshake: no cipher or group of ours, or it wants a certificate
  kNotTls,           // it does not speak TLS
};

// What the last handshake of this thread said of the server's certificates.
struct CertificateRefusal {
  long code = 0;            // X509_V_ERR_…; 0: they were not refused
  std::size_t sent = 0;     // how many the server has sent
  std::string issuer = {};  // of the one whose issuer is not known; one line
};

// From now on handshakes with the context note what they refuse, for their thread.
void note_refusals_of(Poco::Net::Context& context);
void forget_refusal();
const CertificateRefusal& last_refusal();

// By OpenSSL's word for the failure, and what it said of certificates.
TlsFault tls_fault_of(std::string_view failure, const CertificateRefusal& refusal);
// "unable to get local issuer certificate (1 sent, issued by CN=…)"; empty: they were not refused.
std::string to_string(const CertificateRefusal& refusal);

}  // namespace pixledger::workers
