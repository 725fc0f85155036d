#include "workers/banks/api_pix/tls/callback_tls.h"

#include <cerrno>
#include <cstdint>
#include <ctime>
#include <fstream>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <stdexcept>
#include <system_error>

namespace pixledger::workers {
namespace {

// Nobody is there to be asked for the password of an encrypted key.
int empty_password(char*, int, int, void*) { return 0; }

[[noreturn]] void refuse(const std::string& what) {
  const char* reason = ERR_reason_error_string(ERR_peek_last_error());
  ERR_clear_error();
  throw std::runtime_error(what + ": " + (reason ? reason : "unknown reason"));
}

void require_readable(const std::string& file) {
  if (!std::ifstream(file))
    throw std::runtime_error("cannot read " + file + ": " + std::generic_category().message(errno));
}

void show_own(SSL_CTX* tls, const CallbackTlsFiles& files) {
  require_readable(files.certificate);
  require_readable(files.key);
  SSL_CTX_set_default_passwd_cb(tls, empty_password);
  if (SSL_CTX_use_certificate_chain_file(tls, files.certificate.c_str()) != 1 ||
      SSL_CTX_use_PrivateKey_file(tls, files.key.c_str(), SSL_FILETYPE_PEM) != 1 ||
      SSL_CTX_check_private_key(tls) != 1)
    refuse("cannot use the certificate " + files.certificate + " with the key " + files.key);
}

void demand_certificates(SSL_CTX* tls, const std::vector<std::string>& authorities) {
  // OpenSSL's own judgement, not a handler that the process shares.
  SSL_CTX_set_verify(tls, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  SSL_CTX_set_client_CA_list(tls, sk_X509_NAME_new_null());
  for (const auto& file : authorities) {
    require_readable(file);
    if (SSL_CTX_load_verify_locations(tls, file.c_str(), nullptr) != 1 ||
        SSL_add_file_cert_subjects_to_stack(SSL_CTX_get_client_CA_list(tls), file.c_str()) != 1)
      refuse("cannot use the authorities in " + file);
  }
}

}  // namespace

Poco::Net::Context::Ptr make_callback_tls(const CallbackTlsFiles& files) {
  Poco::Net::Context::Params params;
  params.verificationMode = Poco::Net::Context::VERIFY_STRICT;
  Poco::Net::Context::Ptr context = new Poco::Net::Context(Poco::Net::Context::TLS_SERVER_USE, params);
  context->enableExtendedCertificateVerification(false);  // a client's certificate names no host
  auto* const tls = context->sslContext();
  SSL_CTX_set_min_proto_version(tls, TLS1_2_VERSION);
  SSL_CTX_set_options(tls, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_NO_TICKET);
  SSL_CTX_set_num_tickets(tls, 0);
  SSL_CTX_set_session_cache_mode(tls, SSL_SESS_CACHE_OFF);
  ERR_clear_error();
  show_own(tls, files);
  demand_certificates(tls, files.client_cas);
  return context;
}

Timestamp end_of_certificate(const Poco::Net::Context& context) {
  tm end{};
  const auto* const certificate = SSL_CTX_get0_certificate(context.sslContext());
  if (ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &end) != 1) return Timestamp(0);
  return Timestamp(std::int64_t{::timegm(&end)} * 1000);
}

}  // namespace pixledger::workers
