#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/platform/clock_and_entropy.h"

struct evp_cipher_st;

// AES-256-GCM (NIST SP 800-38D) with nonces of 12 bytes and tags of 16.

namespace pixledger::eventstore {

inline constexpr std::size_t kGcmNonceBytes = 12;
inline constexpr std::size_t kGcmTagBytes = 16;
// The limit for plaintext and associated data. What the keyring seals is far shorter.
inline constexpr std::size_t kGcmInputBytesMax = 1 << 20;

// 256 secret bits, wiped on destruction.
struct Key256 {
  std::array<std::uint8_t, 32> bytes{};

  Key256() = default;
  static Key256 random(Entropy& entropy);
  Key256(const Key256&) = default;
  Key256& operator=(const Key256&) = default;
  ~Key256();

  // Valid while this key lives.
  std::string_view view() const { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }
};

// Overwrites what `secret` holds, then empties it.
void wipe(std::string& secret);

// Const member functions are thread-safe. Failures inside OpenSSL throw std::runtime_error.
class Aes256Gcm {
 public:
  explicit Aes256Gcm(const Key256& key);

  // Returns the ciphertext, then the tag. A nonce must never be used twice with one key. Lengths above
  // kGcmInputBytesMax and nonces of another length are asserted.
  std::string seal(std::string_view nonce, std::string_view plaintext, std::string_view associated) const;

  // Returns nullopt unless all three are as sealed.
  std::optional<std::string> open(std::string_view nonce, std::string_view ciphertext_and_tag,
                                  std::string_view associated) const;

 private:
  Key256 key_;
  std::shared_ptr<evp_cipher_st> cipher_;
};

}  // namespace pixledger::eventstore
