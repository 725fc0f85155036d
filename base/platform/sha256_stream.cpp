#include "base/platform/sha256_stream.h"

#include <openssl/evp.h>
#include <stdexcept>

namespace pixledger {
namespace {

void check(int succeeded) {
  if (succeeded != 1) throw std::runtime_error("OpenSSL cannot compute SHA-256");
}

}  // namespace

struct Sha256Stream::State {
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  State() { check(context != nullptr ? EVP_DigestInit_ex(context, EVP_sha256(), nullptr) : 0); }
  ~State() { EVP_MD_CTX_free(context); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
};

Sha256Stream::Sha256Stream() : state_(std::make_unique<State>()) {}
Sha256Stream::~Sha256Stream() = default;

void Sha256Stream::update(std::string_view bytes) {
  check(EVP_DigestUpdate(state_->context, bytes.data(), bytes.size()));
}

Digest Sha256Stream::finish() {
  Digest digest;
  check(EVP_DigestFinal_ex(state_->context, digest.data(), nullptr));
  return digest;
}

}  // namespace pixledger
