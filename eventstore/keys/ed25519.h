#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "eventstore/keys/aes_gcm.h"

struct evp_pkey_st;

// Ed25519 (RFC 8032), pure. Failures inside OpenSSL throw std::runtime_error.

namespace pixledger::eventstore {

inline constexpr std::size_t kEd25519PublicKeyBytes = 32;
inline constexpr std::size_t kEd25519SignatureBytes = 64;

using Ed25519PublicKey = std::array<std::uint8_t, kEd25519PublicKeyBytes>;

// A private key. Const member functions are thread-safe.
class Ed25519Key {
 public:
  // The 32 secret bytes of RFC 8032 section 5.1.5.
  explicit Ed25519Key(const Key256& seed);

  const Ed25519PublicKey& public_key() const { return public_key_; }
  // Returns 64 bytes; the same for the same message.
  std::string sign(std::string_view message) const;

 private:
  std::shared_ptr<evp_pkey_st> key_;
  Ed25519PublicKey public_key_{};
};

// Any input is safe.
bool verify_ed25519(const Ed25519PublicKey& key, std::string_view message, std::string_view signature);

}  // namespace pixledger::eventstore
