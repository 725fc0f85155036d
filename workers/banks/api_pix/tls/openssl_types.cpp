#include "workers/banks/api_pix/tls/openssl_types.h"

#include <openssl/err.h>
#include <openssl/pem.h>

namespace pixledger::workers {
namespace {

// Instead of asking at the terminal.
int no_password(char*, int, int, void*) { return -1; }

}  // namespace

Bio bio_of(std::string_view text) { return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size()))); }

std::vector<Certificate> read_certificates(std::string_view pem) {
  std::vector<Certificate> certificates;
  const auto bio = bio_of(pem);
  while (X509* const next = PEM_read_bio_X509(bio.get(), nullptr, &no_password, nullptr))
    certificates.emplace_back(next);
  ERR_clear_error();  // the last one was not there
  return certificates;
}

PrivateKey read_private_key(std::string_view pem) {
  const auto bio = bio_of(pem);
  PrivateKey key(PEM_read_bio_PrivateKey(bio.get(), nullptr, &no_password, nullptr));
  ERR_clear_error();
  return key;
}

}  // namespace pixledger::workers
