#include "workers/banks/api_pix/bank_network.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <stdexcept>
#include <utility>

#include "base/net/tls_client.h"
#include "workers/banks/api_pix/bank_http.h"
#include "workers/banks/api_pix/tls/openssl_types.h"
#include "workers/banks/api_pix/tls/tls_fault.h"

namespace pixledger::workers {
namespace {

constexpr BoundedResolver::Limits kQuestions{.questions_max = 32, .of_one_asker_max = 8};

}  // namespace

BankNetwork::BankNetwork(const Resolver& resolver, BankNetworkOptions options)
    : options_(std::move(options)),
      trust_(make_tls_client_context(options_.ca_file)),
      resolver_(resolver, kQuestions) {
  // What a bank's server leaves out of its chain can be trusted by itself, without the authority above it.
  X509_STORE_set_flags(SSL_CTX_get_cert_store(trust_->sslContext()), X509_V_FLAG_PARTIAL_CHAIN);
}

std::unique_ptr<BankTransport> BankNetwork::connect(const std::string& certificate_pem,
                                                    const std::string& private_key_pem) {
  return std::make_unique<BankHttp>(*this, certificate_pem, private_key_pem);
}

Poco::Net::Context::Ptr BankNetwork::make_context(const std::string& certificate_pem,
                                                  const std::string& private_key_pem) const {
  auto context = make_trustless_tls_client_context();
  SSL_CTX* const tls = context->sslContext();
  SSL_CTX_set1_cert_store(tls, SSL_CTX_get_cert_store(trust_->sslContext()));
  note_refusals_of(*context);
  if (certificate_pem.empty()) return context;
  const auto chain = read_certificates(certificate_pem);
  const auto key = read_private_key(private_key_pem);
  bool taken = !chain.empty() && key && SSL_CTX_use_certificate(tls, chain.front().get()) == 1;
  for (std::size_t i = 1; taken && i < chain.size(); ++i)
    taken = SSL_CTX_add1_chain_cert(tls, chain[i].get()) == 1;
  taken = taken && SSL_CTX_use_PrivateKey(tls, key.get()) == 1;
  ERR_clear_error();
  if (!taken) throw std::invalid_argument("the client's certificate and key cannot be used");
  return context;
}

}  // namespace pixledger::workers
