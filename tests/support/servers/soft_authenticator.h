#pragma once

#include <cstdint>
#include <memory>
#include <openssl/evp.h>
#include <string>
#include <string_view>

#include "http/accounts/passkeys.h"

// An authenticator and its browser, by OpenSSL: makes passkeys, and signs with them as Web Authentication
// specifies. Tests set fields to make it misbehave.
namespace pixledger::tests {

struct BrowserWord {
  std::string origin;
  std::string challenge;  // base64url
  bool is_cross_origin = false;
  std::string type{};  // empty: the ceremony's own

  std::string client_data(http::Ceremony ceremony) const;
};

class SoftAuthenticator {
 public:
  explicit SoftAuthenticator(std::int64_t algorithm = http::kEs256, std::string credential = "credential-1");

  std::string credential;
  std::uint32_t sign_count = 0;
  std::string rp_id = "localhost";
  unsigned char flags = 0x05;  // present and verified

  std::int64_t algorithm() const { return algorithm_; }
  // DER of a SubjectPublicKeyInfo.
  std::string public_key() const;
  std::string authenticator_data() const;
  // Authenticator data with the credential, as at registration.
  std::string attested_data() const;
  std::string sign(std::string_view authenticator_data, std::string_view client_data) const;

 private:
  struct Free {
    void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  };
  std::string head(unsigned char its_flags) const;

  std::int64_t algorithm_;
  std::unique_ptr<EVP_PKEY, Free> key_;
};

}  // namespace pixledger::tests
