#include "tests/support/servers/soft_authenticator.h"

#include <openssl/x509.h>
#include <stdexcept>
#include <vector>

#include "base/platform/big_endian.h"
#include "base/platform/sha256.h"

namespace pixledger::tests {
namespace {

EVP_PKEY* make_key(std::int64_t algorithm) {
  if (algorithm == http::kEs256) return EVP_EC_gen("P-256");
  if (algorithm == http::kRs256) return EVP_RSA_gen(2048);
  return EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519");
}

}  // namespace

std::string BrowserWord::client_data(http::Ceremony ceremony) const {
  const auto its_type = !type.empty()                         ? type
                        : ceremony == http::Ceremony::kCreate ? "webauthn.create"
                                                              : "webauthn.get";
  return R"({"type":")" + its_type + R"(","challenge":")" + challenge + R"(","origin":")" + origin +
         R"(","crossOrigin":)" + (is_cross_origin ? "true" : "false") + "}";
}

SoftAuthenticator::SoftAuthenticator(std::int64_t algorithm, std::string its_credential)
    : credential(std::move(its_credential)), algorithm_(algorithm), key_(make_key(algorithm)) {}

std::string SoftAuthenticator::public_key() const {
  unsigned char* der = nullptr;
  const int size = i2d_PUBKEY(key_.get(), &der);
  if (size <= 0) throw std::runtime_error("no public key");
  const std::string bytes(reinterpret_cast<const char*>(der), static_cast<std::size_t>(size));
  OPENSSL_free(der);
  return bytes;
}

std::string SoftAuthenticator::head(unsigned char its_flags) const {
  const auto hash = sha256(rp_id);
  return std::string(bytes_of(hash)) + static_cast<char>(its_flags) + big_endian32(sign_count);
}

std::string SoftAuthenticator::authenticator_data() const { return head(flags); }

std::string SoftAuthenticator::attested_data() const {
  const auto size = big_endian32(static_cast<std::uint32_t>(credential.size())).substr(2);
  const std::string cose_key = "\xa5";  // the server does not read its fields
  return head(static_cast<unsigned char>(flags | 0x40U)) + std::string(16, '\0') + size + credential +
         cose_key;
}

std::string SoftAuthenticator::sign(std::string_view authenticator_data, std::string_view client_data) const {
  const auto hash = sha256(client_data);
  std::string bytes(authenticator_data);
  bytes += bytes_of(hash);
  auto* const context = EVP_MD_CTX_new();
  std::vector<unsigned char> signature(1'024);
  auto size = signature.size();
  const auto* const digest = algorithm_ == http::kEdDsa ? nullptr : EVP_sha256();
  const bool well = EVP_DigestSignInit(context, nullptr, digest, nullptr, key_.get()) == 1 &&
                    EVP_DigestSign(context, signature.data(), &size,
                                   reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()) == 1;
  EVP_MD_CTX_free(context);
  if (!well) throw std::runtime_error("the authenticator cannot sign");
  return {reinterpret_cast<const char*>(signature.data()), size};
}

}  // namespace pixledger::tests
