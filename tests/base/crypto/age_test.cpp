#include "base/crypto/age.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <openssl/evp.h>
#include <random>
#include <sstream>

#include "base/platform/sha256.h"
#include "tests/support/seeded_entropy.h"
#include "tests/support/servers/process.h"
#include "tests/support/temporary_directory.h"

using namespace pixledger;
using pixledger::tests::run_process;

namespace {

namespace fs = std::filesystem;
using Cause = AgeError::Cause;

constexpr std::size_t kChunk = 64 * 1024;

std::string read_file(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

void write_file(const fs::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary) << bytes;
}

std::string noise(std::size_t size, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::string bytes(size, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  return bytes;
}

// Runs a program of Debian's package. Fails if it does.
void run(const std::string& program, const std::vector<std::string>& arguments) {
  const auto result = run_process("/usr/bin/" + program, arguments);
  INFO(result.err);
  REQUIRE(result.code == 0);
}

// A key pair of age-keygen.
struct Keys {
  explicit Keys(fs::path path) : file(std::move(path)) {
    run("age-keygen", {"-o", file.string()});
    identities = parse_age_identities(read_file(file));
    REQUIRE(identities.size() == 1);
    // "# public key: age1…"
    std::istringstream lines(read_file(file));
    for (std::string line; std::getline(lines, line);)
      if (line.find("age1") != std::string::npos) recipient_text = line.substr(line.find("age1"));
    recipient = AgeRecipient::parse(recipient_text);
    REQUIRE(recipient);
  }

  fs::path file;
  std::string recipient_text;
  std::optional<AgeRecipient> recipient;
  std::vector<AgeIdentity> identities;
};

AgeEncryption::Read read_of(const std::string& plain) {
  return [&plain](std::uint64_t offset, std::size_t length) {
    REQUIRE(offset + length <= plain.size());
    return plain.substr(static_cast<std::size_t>(offset), length);
  };
}

std::string encrypt(const std::string& plain, const std::vector<AgeRecipient>& recipients) {
  SystemEntropy entropy;
  return age_encrypt(plain, recipients, entropy);
}

struct Decrypted {
  std::string plain;  // until the fault
  std::optional<Cause> fault;
  std::string problem;
};

Decrypted decrypt(const std::string& file, const std::vector<AgeIdentity>& identities,
                  std::size_t step = std::string::npos) {
  Decrypted result;
  AgeDecryption decryption(identities);
  try {
    for (std::size_t at = 0; at < file.size(); at += std::min(step, file.size()))
      result.plain += decryption.update(std::string_view(file).substr(at, step));
    result.plain += decryption.finish();
  } catch (const AgeError& error) {
    result.fault = error.cause();
    result.problem = error.what();
  }
  return result;
}

void check_refused(const std::string& changed, const std::string& plain,
                   const std::vector<AgeIdentity>& identities) {
  const auto result = decrypt(changed, identities);
  REQUIRE(result.fault);
  REQUIRE(plain.starts_with(result.plain));
}

}  // namespace

TEST_CASE("age opens what is encrypted here, and the other way round, for each of two recipients") {
  const tests::TemporaryDirectory directory;
  const Keys ana(directory.path() / "ana.key");
  const Keys rui(directory.path() / "rui.key");
  const auto encrypted = directory.path() / "file.age";
  const auto plain_file = directory.path() / "file";
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, kChunk - 1, kChunk, kChunk + 1, 2 * kChunk,
                                 5 * 1024 * 1024 + std::size_t{77}}) {
    CAPTURE(size);
    const auto plain = noise(size);
    write_file(encrypted, encrypt(plain, {*ana.recipient, *rui.recipient}));
    for (const auto* const keys : {&ana, &rui}) {
      run("age", {"-d", "-i", keys->file.string(), "-o", plain_file.string(), encrypted.string()});
      CHECK((read_file(plain_file) == plain));
    }
    write_file(plain_file, plain);
    run("age",
        {"-r", ana.recipient_text, "-r", rui.recipient_text, "-o", encrypted.string(), plain_file.string()});
    const auto theirs = read_file(encrypted);
    for (const auto* const keys : {&ana, &rui}) {
      const auto whole = decrypt(theirs, keys->identities);
      CHECK_FALSE(whole.fault);
      CHECK((whole.plain == plain));
      CHECK((age_decrypt(theirs, keys->identities) == plain));
      CHECK((decrypt(theirs, keys->identities, 1009).plain == plain));
    }
    // Sizes are as age's.
    SystemEntropy entropy;
    CHECK(AgeEncryption({*ana.recipient, *rui.recipient}, entropy).file_bytes(size) == theirs.size());
  }
}

TEST_CASE("any range of an encrypted file can be read, again and again") {
  const auto identities =
      parse_age_identities("AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX\n");
  SystemEntropy entropy;
  const AgeEncryption encryption({identities[0].recipient}, entropy);
  const auto plain = noise(3 * kChunk + 5);
  const auto size = static_cast<std::size_t>(encryption.file_bytes(plain.size()));
  const auto file = encryption.range(plain.size(), 0, size, read_of(plain));
  CHECK((decrypt(file, identities).plain == plain));
  std::mt19937 random(2);
  for (int i = 0; i < 300; ++i) {
    const auto offset = random() % (size + 1);
    const auto length = random() % (size - offset + 1);
    REQUIRE((encryption.range(plain.size(), offset, length, read_of(plain)) == file.substr(offset, length)));
  }
}

TEST_CASE("each changed bit and each missing end of an encrypted file is refused") {
  const auto identities =
      parse_age_identities("AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX");
  const auto plain = noise(100);
  const auto file = encrypt(plain, {identities[0].recipient});
  REQUIRE((decrypt(file, identities).plain == plain));
  for (std::size_t at = 0; at < file.size(); ++at) {
    CAPTURE(at);
    for (int bit = 0; bit < 8; ++bit) {
      auto changed = file;
      changed[at] = static_cast<char>(changed[at] ^ 1 << bit);
      check_refused(changed, plain, identities);
    }
    check_refused(file.substr(0, at), plain, identities);
  }
  check_refused(file + '\0', plain, identities);
  check_refused(file + file, plain, identities);
}

TEST_CASE("chunks can be neither changed, left out, swapped, repeated nor added") {
  const auto identities =
      parse_age_identities("AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX");
  constexpr std::size_t kSealed = kChunk + 16;
  for (const std::size_t size : {2 * kChunk, 2 * kChunk + 1}) {
    CAPTURE(size);
    const auto plain = noise(size);
    const auto file = encrypt(plain, {identities[0].recipient});
    const auto head = file.size() - size - (size + kChunk - 1) / kChunk * 16;
    const auto chunk = [&](std::size_t number) { return file.substr(head + number * kSealed, kSealed); };
    check_refused(file.substr(0, head), plain, identities);
    check_refused(file.substr(0, head + kSealed), plain, identities);
    check_refused(file.substr(0, head + 2 * kSealed - 1), plain, identities);
    check_refused(file.substr(0, head) + file.substr(head + kSealed), plain, identities);
    check_refused(file.substr(0, head) + chunk(1) + chunk(0) + chunk(2), plain, identities);
    check_refused(file.substr(0, head) + chunk(0) + chunk(0) + chunk(1) + chunk(2), plain, identities);
    check_refused(file + std::string(16, '\0'), plain, identities);
    std::mt19937 random(3);
    for (int i = 0; i < 200; ++i) {
      auto changed = file;
      auto& byte = changed[random() % changed.size()];
      byte = static_cast<char>(byte ^ (1 + static_cast<int>(random() % 255)));
      check_refused(changed, plain, identities);
      check_refused(file.substr(0, random() % file.size()), plain, identities);
    }
  }
}

TEST_CASE("a file for other keys says so, and names what is not supported") {
  const tests::TemporaryDirectory directory;
  const Keys ana(directory.path() / "ana.key");
  const Keys rui(directory.path() / "rui.key");
  const auto plain_file = directory.path() / "file";
  const auto encrypted = directory.path() / "file.age";
  const auto ssh_key = directory.path() / "ssh.pub";
  write_file(plain_file, "personal data");
  write_file(ssh_key, "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIPDhIR2b/cVNx0pzVXu4o3S1rdnDTwMwrTp3bwbPoHlE x\n");

  const auto file = encrypt("personal data", {*ana.recipient});
  auto refused = decrypt(file, rui.identities);
  CHECK(refused.fault == Cause::kKey);
  CHECK(refused.problem == "is encrypted to other keys than those of the identities");
  CHECK(decrypt(file, {}).problem == "is encrypted, and no identity is given");

  // Stanzas of other kinds are skipped beside one that opens it, and named if there is no such one.
  run("age",
      {"-R", ssh_key.string(), "-r", ana.recipient_text, "-o", encrypted.string(), plain_file.string()});
  CHECK(decrypt(read_file(encrypted), ana.identities).plain == "personal data");
  CHECK(decrypt(read_file(encrypted), rui.identities).fault == Cause::kKey);
  run("age", {"-R", ssh_key.string(), "-o", encrypted.string(), plain_file.string()});
  refused = decrypt(read_file(encrypted), ana.identities);
  CHECK(refused.fault == Cause::kKey);
  CHECK(refused.problem ==
        "is not encrypted to an age1… key, and nothing else is supported (pass phrases, ssh keys, plugins)");
  run("age", {"-a", "-r", ana.recipient_text, "-o", encrypted.string(), plain_file.string()});
  refused = decrypt(read_file(encrypted), ana.identities);
  CHECK(refused.problem == "is armored text; only age's binary format is supported");

  refused = decrypt("{\"format\":3}\n", ana.identities);
  CHECK(refused.fault == Cause::kDamaged);
  CHECK(refused.problem == "is not a file of age");
  CHECK(decrypt("", ana.identities).fault == Cause::kDamaged);
}

TEST_CASE("a header is refused that is too long, or makes the secret known") {
  const auto identities =
      parse_age_identities("AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX");
  const std::string magic = "age-encryption.org/v1\n";
  const std::string end = "--- " + std::string(43, 'A') + "\n" + std::string(100, '\0');
  const auto fault_of = [&](const std::string& stanzas) {
    return decrypt(magic + stanzas + end, identities).fault;
  };
  // The product with a point of low order is zero.
  CHECK(fault_of("-> X25519 " + std::string(43, 'A') + "\n" + std::string(43, 'A') + "\n") ==
        Cause::kDamaged);
  CHECK(fault_of("") == Cause::kDamaged);
  CHECK(fault_of("-> X25519\nAAAA\n") == Cause::kKey);
  CHECK(fault_of("-> X25519 AAAA\nAAAA\n") == Cause::kDamaged);
  CHECK(fault_of("->X25519\n\n") == Cause::kDamaged);
  CHECK(fault_of("-> other\n" + std::string(64, 'A') + "\n") == Cause::kDamaged);
  CHECK(fault_of("-> other\n\n") == Cause::kKey);
  // Base64 of age has no padding.
  const std::string share = std::string(42, 'B') + "A";
  const auto body = std::string(43, 'A') + "\n";
  CHECK(fault_of("-> X25519 " + share + "\n" + body) == Cause::kKey);
  CHECK(fault_of("-> X25519 " + share + "=\n" + body) == Cause::kDamaged);
  AgeDecryption decryption(identities);
  decryption.update(magic + "-> other\n" + std::string(60'000, 'A'));
  CHECK_THROWS_AS(decryption.update(std::string(60'000, 'A')), AgeError);
}

TEST_CASE("an empty chunk ends an empty plaintext alone") {
  const auto identities =
      parse_age_identities("AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX");
  // Knows the file's key, which is drawn first, and seals chunks with it.
  tests::SeededEntropy entropy(1);
  const auto file_key = tests::SeededEntropy(1).bytes(16);
  const auto empty = age_encrypt("", {identities[0].recipient}, entropy);
  const auto head = empty.substr(0, empty.size() - 16);
  const auto extracted = HmacSha256(head.substr(head.size() - 16)).mac(file_key);
  const auto key = HmacSha256(bytes_of(extracted)).mac({"payload", "\1"});
  const auto sealed = [&key](const std::string& plain, char number, char is_last) {
    std::string nonce(12, '\0');
    nonce[10] = number;
    nonce[11] = is_last;
    std::string bytes(plain.size() + 16, '\0');
    auto* const out = reinterpret_cast<unsigned char*>(bytes.data());
    int length = 0;
    auto* const context = EVP_CIPHER_CTX_new();
    EVP_EncryptInit_ex(context, EVP_chacha20_poly1305(), nullptr, key.data(), unsigned_bytes(nonce));
    EVP_EncryptUpdate(context, out, &length, unsigned_bytes(plain), static_cast<int>(plain.size()));
    EVP_EncryptFinal_ex(context, out + length, &length);
    EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, out + plain.size());
    EVP_CIPHER_CTX_free(context);
    return bytes;
  };
  const std::string full(kChunk, 'x');
  CHECK(empty == head + sealed("", 0, 1));
  CHECK((age_decrypt(head + sealed(full, 0, 0) + sealed("y", 1, 1), identities) == full + "y"));
  CHECK(decrypt(head + sealed(full, 0, 0) + sealed("", 1, 1), identities).fault == Cause::kDamaged);
}

TEST_CASE("keys are read as age-keygen writes them") {
  const tests::TemporaryDirectory directory;
  const Keys ana(directory.path() / "ana.key");
  const Keys rui(directory.path() / "rui.key");
  CHECK(ana.identities[0].recipient.key == ana.recipient->key);
  CHECK(parse_age_identities(read_file(ana.file) + "\r\n# another\r\n" + read_file(rui.file)).size() == 2);

  const auto problem_of = [](const std::string& content) -> std::string {
    try {
      parse_age_identities(content);
    } catch (const AgeError& error) {
      CHECK(error.cause() == Cause::kKey);
      return error.what();
    }
    return {};
  };
  CHECK(problem_of("") == "holds no AGE-SECRET-KEY-1… of age-keygen");
  CHECK(problem_of("# a comment\n") == "holds no AGE-SECRET-KEY-1… of age-keygen");
  const auto refused = [](const std::string& line) {
    return "is not a file of age-keygen: line " + line +
           " must be AGE-SECRET-KEY-1…; ssh keys, plugins and pass phrases are not supported";
  };
  CHECK(problem_of("-----BEGIN OPENSSH PRIVATE KEY-----\n") == refused("1"));
  CHECK(problem_of("# x\n\nAGE-PLUGIN-YUBIKEY-1GZKXQYZ\n") == refused("3"));
  CHECK(problem_of(read_file(ana.file) + ana.recipient_text) == refused("4"));
  CHECK(problem_of("age-encryption.org/v1\n-> scrypt AAAA 18\n") == refused("1"));

  const std::string secret = "AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX";
  CHECK(problem_of(secret).empty());
  std::string lower = secret;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  CHECK(problem_of(lower) == refused("1"));
  CHECK(problem_of(secret.substr(0, 20) + "q" + secret.substr(21)) == refused("1"));
  CHECK(problem_of(secret + " ") == refused("1"));
}

TEST_CASE("a public key with any changed character is refused, and so are other texts") {
  const tests::TemporaryDirectory directory;
  const Keys ana(directory.path() / "ana.key");
  const auto text = ana.recipient_text;
  for (std::size_t at = 0; at < text.size(); ++at) {
    for (const char c : std::string_view("qpzry9x8gf2tvdw0s3jn54khce6mua7l1AZ \n")) {
      auto changed = text;
      changed[at] = c;
      CHECK(AgeRecipient::parse(changed).has_value() == (c == text[at]));
    }
    CHECK_FALSE(AgeRecipient::parse(text.substr(0, at)));
  }
  std::string upper = text;
  std::transform(upper.begin(), upper.end(), upper.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  for (const std::string& other :
       {upper, text + "q", std::string("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5"),
        std::string("age1yubikey1q2w7u3vpya839jxxuq8g0sedh3d740d4xvn639sqhr95ejj8vu3hyfumptt"),
        std::string("AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX")})
    CHECK_FALSE(AgeRecipient::parse(other));
}
