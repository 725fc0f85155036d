#include "base/http/transport/tls_context.h"

#include <openssl/ssl.h>
#include <stdexcept>
#include <string_view>

namespace pixledger::http {
namespace {

// Of TLS 1.2; all of TLS 1.3 have both properties.
constexpr const char* kCiphers =
    "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-CHACHA20-POLY1305:"
    "ECDHE-RSA-CHACHA20-POLY1305:ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-RSA-AES256-GCM-SHA384";

// With its length before it, as the extension has it.
constexpr std::string_view kProtocol = "\x08http/1.1";

// A client that names protocols but not this one is refused (RFC 7301 §3.2).
int choose_protocol(SSL*, const unsigned char** chosen, unsigned char* chosen_bytes,
                    const unsigned char* offered, unsigned offered_bytes, void*) {
  const std::string_view names(reinterpret_cast<const char*>(offered), offered_bytes);
  for (std::size_t at = 0; at < names.size(); at += 1 + static_cast<unsigned char>(names[at])) {
    if (!names.substr(at).starts_with(kProtocol)) continue;
    *chosen = offered + at + 1;
    *chosen_bytes = offered[at];
    return SSL_TLSEXT_ERR_OK;
  }
  return SSL_TLSEXT_ERR_ALERT_FATAL;
}

}  // namespace

TlsContext::TlsContext(ServedCertificate& certificate) : context_(SSL_CTX_new(TLS_server_method())) {
  if (!context_) throw std::runtime_error("cannot use TLS: OpenSSL gave no context");
  if (SSL_CTX_set_min_proto_version(context_, TLS1_2_VERSION) != 1 ||
      SSL_CTX_set_cipher_list(context_, kCiphers) != 1) {
    SSL_CTX_free(context_);
    throw std::runtime_error("cannot use TLS: OpenSSL has none of the ciphers");
  }
  SSL_CTX_set_options(context_,
                      SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE);
  // An idle connection keeps no buffers; a write that did not fit goes on from wherever its bytes are then.
  SSL_CTX_set_mode(context_, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                                 SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  // A ticket's keys would stay in memory for as long as the server runs, which undoes forward secrecy.
  SSL_CTX_set_options(context_, SSL_OP_NO_TICKET);
  SSL_CTX_set_num_tickets(context_, 0);
  SSL_CTX_set_session_cache_mode(context_, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_alpn_select_cb(context_, choose_protocol, nullptr);
  certificate.serve_in(context_);
}

TlsContext::~TlsContext() { SSL_CTX_free(context_); }

}  // namespace pixledger::http
