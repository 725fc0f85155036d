#include "workers/banks/api_pix/tls_fault.h"

#include <algorithm>
#include <array>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>
#include <utility>

#include "base/net/http_client.h"
#include "workers/banks/api_pix/bank_credentials.h"

namespace pixledger::workers {
namespace {

thread_local CertificateRefusal refusal_of_thread;

std::string in_one_line(const X509_NAME* name) {
  const Bio bio(BIO_new(BIO_s_mem()));
  if (!bio || X509_NAME_print_ex(bio.get(), name, 0, XN_FLAG_RFC2253) < 0) return "";
  char* text = nullptr;
  const auto size = BIO_get_mem_data(bio.get(), &text);
  return printable_failure(std::string(text, static_cast<std::size_t>(size)));
}

int note_refusal(int is_good, X509_STORE_CTX* store) {
  if (is_good == 1) return 1;
  auto& noted = refusal_of_thread;
  noted.code = X509_STORE_CTX_get_error(store);
  const auto* const sent = X509_STORE_CTX_get0_untrusted(store);
  noted.sent = sent == nullptr ? 0 : static_cast<std::size_t>(sk_X509_num(sent));
  const auto* const current = X509_STORE_CTX_get_current_cert(store);
  noted.issuer = current == nullptr ? "" : in_one_line(X509_get_issuer_name(current));
  return 0;
}

TlsFault fault_of(const CertificateRefusal& refusal) {
  switch (refusal.code) {
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
      return refusal.sent > 1 ? TlsFault::kUnknownIssuer : TlsFault::kIncompleteChain;
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_CERT_UNTRUSTED:
      return TlsFault::kUnknownIssuer;
    case X509_V_ERR_CERT_NOT_YET_VALID:
    case X509_V_ERR_CERT_HAS_EXPIRED:
      return TlsFault::kOutOfDate;
    case X509_V_ERR_EE_KEY_TOO_SMALL:
    case X509_V_ERR_CA_KEY_TOO_SMALL:
    case X509_V_ERR_CA_MD_TOO_WEAK:
      return TlsFault::kTooWeak;
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
      return TlsFault::kOtherName;
    default:
      return TlsFault::kBadCertificate;
  }
}

// Parts of OpenSSL's reasons (3.0), the first that is found.
constexpr std::array<std::pair<std::string_view, TlsFault>, 15> kReasons{{
    {"unsafe legacy renegotiation disabled", TlsFault::kNoRenegotiation},
    {"dh key too small", TlsFault::kTooWeak},
    {"ee key too small", TlsFault::kTooWeak},
    {"ca key too small", TlsFault::kTooWeak},
    {"ca md too weak", TlsFault::kTooWeak},
    {"bad ecpoint", TlsFault::kTooWeak},
    {"wrong curve", TlsFault::kTooWeak},
    {"wrong signature type", TlsFault::kTooWeak},
    {"legacy sigalg disallowed or unsupported", TlsFault::kTooWeak},
    {"unsupported protocol", TlsFault::kOldProtocol},
    {"alert protocol version", TlsFault::kOldProtocol},
    {"wrong version number", TlsFault::kNotTls},
    {"http request", TlsFault::kNotTls},
    {"alert handshake failure", TlsFault::kNothingShared},
    {"alert insufficient security", TlsFault::kNothingShared},
}};

}  // namespace

void note_refusals_of(Poco::Net::Context& context) {
  SSL_CTX_set_verify(context.sslContext(), SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, &note_refusal);
}

void forget_refusal() { refusal_of_thread = {}; }

const CertificateRefusal& last_refusal() { return refusal_of_thread; }

TlsFault tls_fault_of(std::string_view failure, const CertificateRefusal& refusal) {
  if (refusal.code != 0) return fault_of(refusal);
  const auto* const found = std::find_if(kReasons.begin(), kReasons.end(), [&](const auto& reason) {
    return failure.find(reason.first) != std::string_view::npos;
  });
  return found == kReasons.end() ? TlsFault::kNone : found->second;
}

std::string to_string(const CertificateRefusal& refusal) {
  if (refusal.code == 0) return "";
  auto text = std::string(X509_verify_cert_error_string(refusal.code));
  if (refusal.issuer.empty()) return text;
  return text + " (" + std::to_string(refusal.sent) + " sent, issued by " + refusal.issuer + ")";
}

}  // namespace pixledger::workers
