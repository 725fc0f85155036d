#include "workers/banks/api_pix/bank_credentials.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <openssl/err.h>
#include <openssl/pkcs12.h>
#include <openssl/provider.h>

#include "base/platform/clock_and_entropy.h"
#include "tests/support/domain/sample_values.h"
#include "tests/support/servers/test_certificates.h"

using namespace pixledger;
using namespace pixledger::tests;
using namespace pixledger::workers;

namespace {

std::string content(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// Runs with OpenSSL's old ciphers at hand.
template <class Work>
auto with_old_ciphers(const Work& work) {
  OSSL_LIB_CTX* const context = OSSL_LIB_CTX_new();
  auto* const legacy = OSSL_PROVIDER_load(context, "legacy");
  auto* const usual = OSSL_PROVIDER_load(context, "default");
  REQUIRE(legacy != nullptr);
  auto* const before = OSSL_LIB_CTX_set0_default(context);
  auto result = work();
  OSSL_LIB_CTX_set0_default(before);
  OSSL_PROVIDER_unload(legacy);
  OSSL_PROVIDER_unload(usual);
  OSSL_LIB_CTX_free(context);
  return result;
}

enum class Ciphers { kNew, kOld };

std::string pfx_of(const CertificateFiles& files, const std::string& password, Ciphers ciphers) {
  const auto make = [&] {
    const auto key = read_private_key(content(files.key_file));
    const auto chain = read_certificates(content(files.cert_file));
    const int cipher = ciphers == Ciphers::kOld ? NID_pbe_WithSHA1And40BitRC2_CBC : 0;
    PKCS12* const pfx = PKCS12_create(password.c_str(), "loja", key.get(), chain.front().get(), nullptr,
                                      cipher, cipher, 0, 0, 0);
    REQUIRE(pfx != nullptr);
    unsigned char* bytes = nullptr;
    const int size = i2d_PKCS12(pfx, &bytes);
    std::string text(reinterpret_cast<char*>(bytes), static_cast<std::size_t>(size));
    OPENSSL_free(bytes);
    PKCS12_free(pfx);
    return text;
  };
  return ciphers == Ciphers::kOld ? with_old_ciphers(make) : make();
}

// The exception's part and problem.
template <class Read>
std::string problem_of(const Read& read) {
  constexpr const char* kParts[] = {"certificate", "key", "pfx", "pfx password"};
  try {
    read();
  } catch (const CredentialError& error) {
    return std::string(kParts[static_cast<int>(error.part())]) + " " + error.what();
  }
  return "";
}

Timestamp now() { return SystemClock().now(); }

}  // namespace

TEST_CASE("a certificate and its key are read from PEM, with subject and end") {
  const TestAuthority authority;
  const auto files = authority.issue("Loja Exemplo");
  const auto credentials = read_pem_credentials(content(files.cert_file), content(files.key_file), now());
  CHECK(credentials.subject == "CN=Loja Exemplo");
  CHECK(credentials.ends_at > now());
  CHECK(credentials.ends_at < now().plus_millis(2 * 3'600'000));
  CHECK(credentials.certificate_pem == content(files.cert_file));
  CHECK(credentials.private_key_pem == content(files.key_file));
}

TEST_CASE("the certificate of the key goes before those that it was issued by") {
  const TestAuthority authority;
  const auto files = authority.issue("loja");
  const auto chain = content(authority.ca_file()) + content(files.cert_file);
  const auto credentials = read_pem_credentials(chain, content(files.key_file), now());
  CHECK(credentials.subject == "CN=loja");
  CHECK(credentials.certificate_pem == content(files.cert_file) + content(authority.ca_file()));
}

TEST_CASE("a problem of a PEM certificate or key names the right one") {
  const TestAuthority authority;
  const auto one = authority.issue("one");
  const auto other = authority.issue("other");
  const auto read = [&](const std::string& certificate, const std::string& key) {
    return problem_of([&] { read_pem_credentials(certificate, key, now()); });
  };
  CHECK(read(content(one.cert_file), content(other.key_file)) == "key does not fit the certificate");
  CHECK(read("", content(one.key_file)) == "certificate holds no certificate in PEM");
  CHECK(read("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", content(one.key_file)) ==
        "certificate holds no certificate in PEM");
  CHECK(read(content(one.cert_file), content(one.cert_file)) == "key holds no private key in PEM");
  CHECK(read(content(one.cert_file),
             "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----")
            .starts_with("key is encrypted"));
  const auto expired = authority.issue_expired("old");
  CHECK(read(content(expired.cert_file), content(expired.key_file))
            .starts_with("certificate has expired on 20"));
}

TEST_CASE("a PFX file is read, with new ciphers and with the old RC2-40") {
  const auto ciphers = GENERATE(Ciphers::kNew, Ciphers::kOld);
  const TestAuthority authority;
  const auto files = authority.issue("loja");
  const auto credentials = read_pfx_credentials(pfx_of(files, "s3nha", ciphers), "s3nha", now());
  CHECK(credentials.subject == "CN=loja");
  CHECK(credentials.certificate_pem == content(files.cert_file));
  CHECK(credentials.private_key_pem == content(files.key_file));
}

TEST_CASE("old ciphers are known while a PFX file is read, and not afterwards") {
  const TestAuthority authority;
  read_pfx_credentials(pfx_of(authority.issue("loja"), "s3nha", Ciphers::kOld), "s3nha", now());
  EVP_CIPHER* const old = EVP_CIPHER_fetch(nullptr, "RC2-40-CBC", nullptr);
  CHECK(old == nullptr);
  EVP_CIPHER_free(old);
  ERR_clear_error();
}

TEST_CASE("a PFX file without a password is read with an empty one") {
  const TestAuthority authority;
  CHECK(read_pfx_credentials(pfx_of(authority.issue("loja"), "", Ciphers::kNew), "", now()).subject ==
        "CN=loja");
}

TEST_CASE("a problem of a PFX file names the file or its password") {
  const TestAuthority authority;
  const auto pfx = pfx_of(authority.issue("loja"), "s3nha", Ciphers::kNew);
  const auto read = [&](const std::string& bytes, const std::string& password) {
    return problem_of([&] { read_pfx_credentials(bytes, password, now()); });
  };
  CHECK(read(pfx, "senha") == "pfx password is wrong");
  CHECK(read(pfx, "") == "pfx password is wrong");
  CHECK(read("", "s3nha") == "pfx is no PKCS #12 file");
  CHECK(read("not a file", "s3nha") == "pfx is no PKCS #12 file");
  CHECK(read(pfx.substr(0, pfx.size() / 2), "s3nha") == "pfx is no PKCS #12 file");
  const auto expired = pfx_of(authority.issue_expired("old"), "s3nha", Ciphers::kNew);
  CHECK(read(expired, "s3nha").starts_with("pfx has expired on 20"));
}
