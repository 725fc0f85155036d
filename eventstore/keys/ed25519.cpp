#include "eventstore/keys/ed25519.h"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <stdexcept>

#include "base/platform/sha256.h"

namespace pixledger::eventstore {
namespace {

struct FreeDigestContext {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};
using DigestContext = std::unique_ptr<EVP_MD_CTX, FreeDigestContext>;

void require_ed25519(bool succeeded) {
  if (!succeeded) throw std::runtime_error("OpenSSL failed at Ed25519");
}

}  // namespace

Ed25519Key::Ed25519Key(const Key256& seed)
    : key_(EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr, seed.bytes.data(), seed.bytes.size()),
           EVP_PKEY_free) {
  require_ed25519(key_ != nullptr);
  std::size_t length = public_key_.size();
  require_ed25519(EVP_PKEY_get_raw_public_key(key_.get(), public_key_.data(), &length) == 1);
}

std::string Ed25519Key::sign(std::string_view message) const {
  const DigestContext context(EVP_MD_CTX_new());
  require_ed25519(context && EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, key_.get()) == 1);
  std::string signature(kEd25519SignatureBytes, '\0');
  std::size_t length = signature.size();
  require_ed25519(EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(signature.data()), &length,
                                 unsigned_bytes(message), message.size()) == 1);
  return signature;
}

bool verify_ed25519(const Ed25519PublicKey& key, std::string_view message, std::string_view signature) {
  if (signature.size() != kEd25519SignatureBytes) return false;
  const std::unique_ptr<EVP_PKEY, void (*)(EVP_PKEY*)> opened(
      EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, key.data(), key.size()), EVP_PKEY_free);
  const DigestContext context(EVP_MD_CTX_new());
  require_ed25519(context != nullptr);
  const bool good = opened &&
                    EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, opened.get()) == 1 &&
                    EVP_DigestVerify(context.get(), unsigned_bytes(signature), signature.size(),
                                     unsigned_bytes(message), message.size()) == 1;
  // A failed verification leaves an error in the thread's queue, where a later call would report it.
  if (!good) ERR_clear_error();
  return good;
}

}  // namespace pixledger::eventstore
