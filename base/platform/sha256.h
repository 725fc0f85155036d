#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

// SHA-256 (FIPS 180-4), HMAC-SHA-256 (RFC 2104, FIPS 198-1) and their text form. Thread-safe; allocates only
// the returned strings.

namespace pixledger {

using Digest = std::array<std::uint8_t, 32>;
inline constexpr std::size_t kDigestBytes = sizeof(Digest);

Digest sha256(std::string_view bytes);

// The digest of the concatenated parts. The caller must add framing where the boundaries would be ambiguous.
Digest sha256(std::initializer_list<std::string_view> parts);

// The 32 bytes of `digest`, which must outlive the view.
inline std::string_view bytes_of(const Digest& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

// `bytes` must be exactly 32 long; asserted.
Digest digest_from_bytes(std::string_view bytes);

// The pointer type of OpenSSL's functions.
inline const unsigned char* unsigned_bytes(std::string_view bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

// Lower-case hex, two characters a byte.
std::string to_hex(std::string_view bytes);
std::string to_hex(const Digest& digest);

// Decodes an even number of hex digits of either case; nullopt for anything else.
std::optional<std::string> bytes_from_hex(std::string_view hex);
std::optional<Digest> digest_from_hex(std::string_view hex);

// The time depends only on the lengths, so a secret cannot be guessed byte by byte.
bool equal_in_constant_time(std::string_view left, std::string_view right);

// A prepared HMAC key. Holds the two hash states after the padded key instead of the key, and wipes them on
// destruction. Each `mac` starts from copies.
class HmacSha256 {
 public:
  // Accepts any key length.
  explicit HmacSha256(std::string_view key);
  HmacSha256(const HmacSha256&) = default;
  HmacSha256& operator=(const HmacSha256&) = default;
  ~HmacSha256();

  Digest mac(std::string_view message) const;
  // The MAC of the concatenated parts.
  Digest mac(std::initializer_list<std::string_view> parts) const;

 private:
  std::array<std::uint32_t, 8> inner_{};
  std::array<std::uint32_t, 8> outer_{};
};

// Incremental SHA-256. Not thread-safe.
class Sha256Stream {
 public:
  Sha256Stream();
  ~Sha256Stream();
  Sha256Stream(const Sha256Stream&) = delete;
  Sha256Stream& operator=(const Sha256Stream&) = delete;

  void update(std::string_view bytes);
  // The digest of all input. Call once, last.
  Digest finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pixledger
