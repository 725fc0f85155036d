#include "eventstore/keys/aes_gcm.h"

#include <cassert>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <span>
#include <stdexcept>

#include "base/platform/sha256.h"

namespace pixledger::eventstore {
namespace {

struct FreeCipherContext {
  void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
};
using CipherContext = std::unique_ptr<EVP_CIPHER_CTX, FreeCipherContext>;

void require_aes(bool succeeded) {
  if (!succeeded) throw std::runtime_error("OpenSSL failed at AES-256-GCM");
}

unsigned char* writable_bytes(std::string& bytes) { return reinterpret_cast<unsigned char*>(bytes.data()); }

// In OpenSSL, an update without an output adds associated data.
void associate(EVP_CIPHER_CTX* context, std::string_view associated) {
  int length = 0;
  require_aes(EVP_CipherUpdate(context, nullptr, &length, unsigned_bytes(associated),
                               static_cast<int>(associated.size())) == 1);
}

void transform(EVP_CIPHER_CTX* context, std::string_view from, std::string& to) {
  int length = 0;
  require_aes(EVP_CipherUpdate(context, writable_bytes(to), &length, unsigned_bytes(from),
                               static_cast<int>(from.size())) == 1);
}

}  // namespace

Key256 Key256::random(Entropy& entropy) {
  Key256 key;
  entropy.fill(std::as_writable_bytes(std::span(key.bytes)));
  return key;
}

Key256::~Key256() { OPENSSL_cleanse(bytes.data(), bytes.size()); }

void wipe(std::string& secret) {
  OPENSSL_cleanse(secret.data(), secret.size());
  secret.clear();
}

Aes256Gcm::Aes256Gcm(const Key256& key)
    : key_(key), cipher_(EVP_CIPHER_fetch(nullptr, "AES-256-GCM", nullptr), EVP_CIPHER_free) {
  require_aes(cipher_ != nullptr);
}

std::string Aes256Gcm::seal(std::string_view nonce, std::string_view plaintext,
                            std::string_view associated) const {
  assert(nonce.size() == kGcmNonceBytes);
  assert(plaintext.size() <= kGcmInputBytesMax && associated.size() <= kGcmInputBytesMax);
  const CipherContext context(EVP_CIPHER_CTX_new());
  require_aes(context != nullptr);
  require_aes(EVP_EncryptInit_ex2(context.get(), cipher_.get(), key_.bytes.data(), unsigned_bytes(nonce),
                                  nullptr) == 1);
  associate(context.get(), associated);
  std::string sealed(plaintext.size() + kGcmTagBytes, '\0');
  transform(context.get(), plaintext, sealed);
  unsigned char* const tag = writable_bytes(sealed) + plaintext.size();
  int length = 0;
  require_aes(EVP_EncryptFinal_ex(context.get(), tag, &length) == 1);
  require_aes(EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_GET_TAG, kGcmTagBytes, tag) == 1);
  return sealed;
}

std::optional<std::string> Aes256Gcm::open(std::string_view nonce, std::string_view ciphertext_and_tag,
                                           std::string_view associated) const {
  if (nonce.size() != kGcmNonceBytes || ciphertext_and_tag.size() < kGcmTagBytes) return std::nullopt;
  if (ciphertext_and_tag.size() > kGcmInputBytesMax + kGcmTagBytes) return std::nullopt;
  if (associated.size() > kGcmInputBytesMax) return std::nullopt;
  const std::size_t length = ciphertext_and_tag.size() - kGcmTagBytes;
  std::string tag(ciphertext_and_tag.substr(length));
  const CipherContext context(EVP_CIPHER_CTX_new());
  require_aes(context != nullptr);
  require_aes(EVP_DecryptInit_ex2(context.get(), cipher_.get(), key_.bytes.data(), unsigned_bytes(nonce),
                                  nullptr) == 1);
  associate(context.get(), associated);
  std::string plaintext(length, '\0');
  transform(context.get(), ciphertext_and_tag.substr(0, length), plaintext);
  require_aes(EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_SET_TAG, kGcmTagBytes, tag.data()) == 1);
  int rest = 0;
  if (EVP_DecryptFinal_ex(context.get(), writable_bytes(plaintext) + length, &rest) != 1) {
    wipe(plaintext);
    return std::nullopt;
  }
  return plaintext;
}

}  // namespace pixledger::eventstore
