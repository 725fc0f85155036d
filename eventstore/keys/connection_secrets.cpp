#include "eventstore/keys/connection_secrets.h"

#include <array>
#include <cstddef>
#include <openssl/crypto.h>

#include "base/platform/big_endian.h"
#include "base/platform/sha256.h"

// The sealed format is frozen; docs/reference/event-format.md defines it.
namespace pixledger::eventstore {
namespace {

constexpr char kForm = 1;
constexpr std::size_t kSecretLengthBytes = 4;
constexpr std::size_t kCallbackSecretBytes = 32;

// In the order of their numbers, from 1.
constexpr std::array kMembers = {&ConnectionSecrets::client_secret, &ConnectionSecrets::certificate_pem,
                                 &ConnectionSecrets::private_key_pem, &ConnectionSecrets::callback_secret,
                                 &ConnectionSecrets::app_key};

// Part of what was sealed, so it never changes.
std::string associated_with(const domain::ConnectionId& connection) {
  return "connection-secret/" + connection.text();
}

// Unsealed bytes, wiped on destruction.
struct Plain {
  std::string bytes;
  ~Plain() { OPENSSL_cleanse(bytes.data(), bytes.size()); }
};

std::uint32_t length_at(std::string_view bytes) {
  std::uint32_t length = 0;
  for (const char byte : bytes.substr(0, kSecretLengthBytes))
    length = (length << 8U) | static_cast<unsigned char>(byte);
  return length;
}

}  // namespace

domain::SealedSecret seal(const domain::ConnectionId& connection, const ConnectionSecrets& secrets,
                          const Keyring& keyring, Entropy& entropy) {
  std::size_t size = 1;
  for (const auto member : kMembers) size += 1 + kSecretLengthBytes + (secrets.*member).size();
  Plain plain;
  plain.bytes.reserve(size);  // so that no copy is left behind
  plain.bytes += kForm;
  for (std::size_t i = 0; i < kMembers.size(); ++i) {
    const auto& value = secrets.*kMembers[i];
    if (value.empty()) continue;
    plain.bytes += static_cast<char>(i + 1);
    plain.bytes += big_endian32(static_cast<std::uint32_t>(value.size()));
    plain.bytes += value;
  }
  return {keyring.seal(plain.bytes, associated_with(connection), entropy).to_bytes()};
}

ConnectionSecrets unseal(const domain::ConnectionId& connection, const domain::SealedSecret& sealed,
                         const Keyring& keyring) {
  const auto refuse = [&](const char* why) {
    return KeyringError("the secrets of connection " + connection.text() + why);
  };
  const auto parsed = Sealed::from_bytes(sealed.bytes);
  if (!parsed) throw refuse(" are damaged");
  const Plain plain{keyring.unseal(*parsed, associated_with(connection))};
  std::string_view left = plain.bytes;
  if (left.empty() || left.front() != kForm)
    throw refuse(" were sealed by a newer release: upgrade pixledger");
  left.remove_prefix(1);
  ConnectionSecrets secrets;
  while (!left.empty()) {
    const auto number = static_cast<unsigned char>(left.front());
    left.remove_prefix(1);
    if (number == 0 || number > kMembers.size())
      throw refuse(" were sealed by a newer release: upgrade pixledger");
    if (left.size() < kSecretLengthBytes || left.size() - kSecretLengthBytes < length_at(left))
      throw refuse(" are damaged");
    const auto length = length_at(left);
    secrets.*kMembers[number - 1U] = std::string(left.substr(kSecretLengthBytes, length));
    left.remove_prefix(kSecretLengthBytes + length);
  }
  return secrets;
}

std::string new_callback_secret(Entropy& entropy) { return to_hex(entropy.bytes(kCallbackSecretBytes)); }

}  // namespace pixledger::eventstore
