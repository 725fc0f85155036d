#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pixledger {

// An IPv4 or IPv6 address. Parses decimal parts without leading zeros (which could mean octal), and neither
// zones nor brackets. Prints the canonical text of RFC 5952, with a dotted tail for IPv4-mapped addresses
// (§5).
class IpAddress {
 public:
  static constexpr std::string_view kRule = "must be an IPv4 or IPv6 address";

  static std::optional<IpAddress> parse(std::string_view text);
  static IpAddress from_v4(const std::array<std::uint8_t, 4>& bytes);
  static IpAddress from_v6(const std::array<std::uint8_t, 16>& bytes);

  bool is_v4() const { return size_ == 4; }

  // The canonical text, built on each call.
  std::string text() const;

  // Network byte order, 4 or 16 bytes; valid as long as the address.
  const std::uint8_t* bytes() const { return bytes_.data(); }
  std::size_t size() const { return size_; }

  // The IPv4 address inside an IPv4-mapped IPv6 address (::ffff:0:0/96), else the address itself.
  IpAddress unmapped() const;

  // The network that a provider assigns to one customer: an IPv4 address itself, also if mapped, or the first
  // 56 bits of an IPv6 address (RIPE-690 §4.2: a home gets at least that much).
  IpAddress customer_network() const;

  friend auto operator<=>(const IpAddress&, const IpAddress&) = default;

 private:
  IpAddress() = default;

  std::size_t size_ = 0;
  std::array<std::uint8_t, 16> bytes_{};  // IPv4 in the first four, the rest zero
};

// A range of addresses: "10.0.0.0/8". Parsing clears the bits after the prefix, so equal ranges have equal
// texts. A range inside ::ffff:0:0/96 becomes the corresponding IPv4 range.
class Cidr {
 public:
  static constexpr std::string_view kRule =
      "must be a range of addresses such as 10.0.0.0/8 or 2001:db8::/32";

  static std::optional<Cidr> parse(std::string_view text);

  std::string text() const;

  // An IPv4-mapped IPv6 address counts as IPv4; otherwise the families never match.
  bool contains(const IpAddress& address) const;

  friend auto operator<=>(const Cidr&, const Cidr&) = default;

 private:
  Cidr(const IpAddress& network, unsigned prefix_bits) : network_(network), prefix_bits_(prefix_bits) {}

  IpAddress network_;
  unsigned prefix_bits_;
};

// Whether one of the ranges contains it.
bool is_within(const IpAddress& address, const std::vector<Cidr>& ranges);

}  // namespace pixledger
