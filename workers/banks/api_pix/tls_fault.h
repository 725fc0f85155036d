#pragma once

#include <Poco/Net/Context.h>
#include <string>
#include <string_view>

namespace pixledger::workers {

// Why a TLS handshake with a bank failed, as far as known: each cause has another remedy.
enum class TlsFault {
  kNone,             // another cause
  kUnknownIssuer,    // the server's certificates lead to no trusted authority
  kIncompleteChain,  // likewise, and it has sent only its own
  kOutOfDate,        // one of its certificates is not valid today
  kOtherName,        // its certificate is another host's
  kBadCertificate,   // its certificates are rejected for another reason
  kNoRenegotiation,  // it lacks secure renegotiation (RFC 5746)
  kTooWeak,          // its group, key or signature is below OpenSSL's security level
  kOldProtocol,      // it does not speak TLS 1.2 or newer
  kNothingShared,    // it rejects the handshake: no common cipher or group, or it wants a certificate
  kNotTls,           // it does not speak TLS
};

// What this thread's last handshake found wrong with the server's certificates.
struct CertificateRefusal {
  long code = 0;            // X509_V_ERR_…; 0: not rejected
  std::size_t sent = 0;     // how many the server has sent
  std::string issuer = {};  // of the certificate with an unknown issuer; one line
};

// Makes handshakes of the context record rejections, for their thread.
void note_refusals_of(Poco::Net::Context& context);
void forget_refusal();
const CertificateRefusal& last_refusal();

// Classifies OpenSSL's text for the failure, and the rejection of certificates.
TlsFault tls_fault_of(std::string_view failure, const CertificateRefusal& refusal);
// "unable to get local issuer certificate (1 sent, issued by CN=…)"; empty: not rejected.
std::string to_string(const CertificateRefusal& refusal);

}  // namespace pixledger::workers
