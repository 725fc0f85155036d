#include "http/accounts/public_key.h"

#include <memory>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/obj_mac.h>
#include <openssl/x509.h>

#include "http/accounts/webauthn.h"

namespace pixledger::http {
namespace {

constexpr int kRsaBitsMin = 2'048;
constexpr int kRsaBitsMax = 8'192;

struct Free {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};
using Key = std::unique_ptr<EVP_PKEY, Free>;

// What OpenSSL notes of an error is the thread's, and would be taken for one of a connection's.
struct ErrorsForgotten {
  ~ErrorsForgotten() { ERR_clear_error(); }
};

const unsigned char* data_of(std::string_view bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

Key read_key(std::string_view der) {
  const auto* at = data_of(der);
  Key key(d2i_PUBKEY(nullptr, &at, static_cast<long>(der.size())));
  if (at != data_of(der) + der.size()) return nullptr;
  return key;
}

bool is_p256(const EVP_PKEY& key) {
  char name[64] = {};
  std::size_t size = 0;
  return EVP_PKEY_get_base_id(&key) == EVP_PKEY_EC &&
         EVP_PKEY_get_utf8_string_param(&key, OSSL_PKEY_PARAM_GROUP_NAME, name, sizeof name, &size) == 1 &&
         std::string_view(name, size) == SN_X9_62_prime256v1;
}

bool fits(const EVP_PKEY& key, std::int64_t algorithm) {
  if (algorithm == kEs256) return is_p256(key);
  if (algorithm == kEdDsa) return EVP_PKEY_get_base_id(&key) == EVP_PKEY_ED25519;
  const int bits = EVP_PKEY_get_bits(&key);
  return algorithm == kRs256 && EVP_PKEY_get_base_id(&key) == EVP_PKEY_RSA && bits >= kRsaBitsMin &&
         bits <= kRsaBitsMax;
}

}  // namespace

bool is_public_key(std::string_view der, std::int64_t algorithm) {
  const ErrorsForgotten after;
  const auto key = read_key(der);
  return key && fits(*key, algorithm);
}

bool is_signed_by(std::string_view public_key, std::int64_t algorithm, std::string_view bytes,
                  std::string_view signature) {
  const ErrorsForgotten after;
  const auto key = read_key(public_key);
  if (!key || !fits(*key, algorithm)) return false;
  const std::unique_ptr<EVP_MD_CTX, Free> context(EVP_MD_CTX_new());
  const auto* const digest = algorithm == kEdDsa ? nullptr : EVP_sha256();
  return context && EVP_DigestVerifyInit(context.get(), nullptr, digest, nullptr, key.get()) == 1 &&
         EVP_DigestVerify(context.get(), data_of(signature), signature.size(), data_of(bytes),
                          bytes.size()) == 1;
}

}  // namespace pixledger::http
