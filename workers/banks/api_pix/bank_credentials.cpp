#include "workers/banks/api_pix/bank_credentials.h"

#include <algorithm>
#include <ctime>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/provider.h>
#include <utility>

namespace pixledger::workers {
namespace {

std::string text_in(const Bio& bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &data);
  return {data, static_cast<std::size_t>(std::max(size, 0L))};
}

Bio memory() { return Bio(BIO_new(BIO_s_mem())); }

std::string subject_of(X509* certificate) {
  const auto bio = memory();
  X509_NAME_print_ex(bio.get(), X509_get_subject_name(certificate), 0,
                     XN_FLAG_RFC2253 & ~ASN1_STRFLGS_ESC_MSB);
  return text_in(bio);
}

// An unreadable end counts as expired (1970).
Timestamp end_of(X509* certificate) {
  std::tm time{};
  if (ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &time) != 1) return {};
  const Timestamp end(std::int64_t{::timegm(&time)} * 1'000);
  return std::clamp(end, Timestamp(), kLastTimestamp);
}

std::string pem_of(const std::vector<Certificate>& certificates) {
  const auto bio = memory();
  for (const auto& certificate : certificates) PEM_write_bio_X509(bio.get(), certificate.get());
  return text_in(bio);
}

std::string pem_of(EVP_PKEY* key) {
  const auto bio = memory();
  PEM_write_bio_PrivateKey(bio.get(), key, nullptr, nullptr, 0, nullptr, nullptr);
  return text_in(bio);
}

// Puts the certificate of the key first; `part` is blamed in errors.
BankCredentials check(std::vector<Certificate> certificates, EVP_PKEY* key, CredentialPart part,
                      Timestamp now) {
  const auto own = std::find_if(
      certificates.begin(), certificates.end(),
      [&](const Certificate& certificate) { return X509_check_private_key(certificate.get(), key) == 1; });
  ERR_clear_error();
  if (own == certificates.end())
    throw CredentialError(part == CredentialPart::kCertificate ? CredentialPart::kPrivateKey : part,
                          "does not fit the certificate");
  std::rotate(certificates.begin(), own, std::next(own));
  auto* const certificate = certificates.front().get();
  BankCredentials credentials{.certificate_pem = pem_of(certificates),
                              .private_key_pem = pem_of(key),
                              .subject = subject_of(certificate),
                              .ends_at = end_of(certificate)};
  if (credentials.ends_at <= now)
    throw CredentialError(part, "has expired on " + to_iso8601(credentials.ends_at));
  return credentials;
}

// During its life only this thread's OpenSSL has the old ciphers.
class LegacyCiphers {
 public:
  LegacyCiphers() : context_(OSSL_LIB_CTX_new()) {
    legacy_ = OSSL_PROVIDER_load(context_, "legacy");
    usual_ = OSSL_PROVIDER_load(context_, "default");
    before_ = OSSL_LIB_CTX_set0_default(context_);
  }
  ~LegacyCiphers() {
    OSSL_LIB_CTX_set0_default(before_);
    if (legacy_ != nullptr) OSSL_PROVIDER_unload(legacy_);
    if (usual_ != nullptr) OSSL_PROVIDER_unload(usual_);
    OSSL_LIB_CTX_free(context_);
    ERR_clear_error();
  }
  LegacyCiphers(const LegacyCiphers&) = delete;
  LegacyCiphers& operator=(const LegacyCiphers&) = delete;

 private:
  OSSL_LIB_CTX* context_;
  OSSL_PROVIDER* legacy_;
  OSSL_PROVIDER* usual_;
  OSSL_LIB_CTX* before_;
};

struct FreePfx {
  void operator()(PKCS12* pfx) const { PKCS12_free(pfx); }
  void operator()(STACK_OF(X509) * certificates) const { sk_X509_pop_free(certificates, X509_free); }
};

}  // namespace

BankCredentials read_pem_credentials(std::string_view certificate_pem, std::string_view private_key_pem,
                                     Timestamp now) {
  auto certificates = read_certificates(certificate_pem);
  if (certificates.empty())
    throw CredentialError(CredentialPart::kCertificate, "holds no certificate in PEM");
  const auto key = read_private_key(private_key_pem);
  if (!key && private_key_pem.find("ENCRYPTED") != std::string_view::npos)
    throw CredentialError(CredentialPart::kPrivateKey,
                          "is encrypted: take its password off (openssl pkey), it is kept encrypted here");
  if (!key) throw CredentialError(CredentialPart::kPrivateKey, "holds no private key in PEM");
  return check(std::move(certificates), key.get(), CredentialPart::kCertificate, now);
}

BankCredentials read_pfx_credentials(std::string_view pfx, const std::string& password, Timestamp now) {
  const LegacyCiphers old_ciphers;
  const auto bio = bio_of(pfx);
  const std::unique_ptr<PKCS12, FreePfx> file(d2i_PKCS12_bio(bio.get(), nullptr));
  if (!file) throw CredentialError(CredentialPart::kPfx, "is no PKCS #12 file");
  // A file without a password has either none or an empty one.
  const bool opens =
      PKCS12_verify_mac(file.get(), password.c_str(), static_cast<int>(password.size())) == 1 ||
      (password.empty() && PKCS12_verify_mac(file.get(), nullptr, 0) == 1);
  if (!opens) throw CredentialError(CredentialPart::kPfxPassword, "is wrong");

  EVP_PKEY* raw_key = nullptr;
  X509* raw_certificate = nullptr;
  STACK_OF(X509)* raw_others = nullptr;
  const int parsed = PKCS12_parse(file.get(), password.c_str(), &raw_key, &raw_certificate, &raw_others);
  const PrivateKey key(raw_key);
  std::vector<Certificate> certificates;
  certificates.emplace_back(raw_certificate);
  const std::unique_ptr<STACK_OF(X509), FreePfx> others(raw_others);
  if (parsed != 1)
    throw CredentialError(CredentialPart::kPfx, "cannot be decrypted: its cipher is not known");
  if (!key || !certificates.front())
    throw CredentialError(CredentialPart::kPfx, "holds no certificate with its private key");
  while (sk_X509_num(others.get()) > 0) certificates.emplace_back(sk_X509_shift(others.get()));
  return check(std::move(certificates), key.get(), CredentialPart::kPfx, now);
}

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
