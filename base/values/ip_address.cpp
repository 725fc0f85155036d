#include "base/values/ip_address.h"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <iterator>

#include "base/text/ascii.h"

namespace pixledger {
namespace {

using V4Bytes = std::array<std::uint8_t, 4>;
using V6Bytes = std::array<std::uint8_t, 16>;

constexpr unsigned kMappedPrefixBits = 96;

// A decimal number of at most three digits without leading zeros.
std::optional<unsigned> parse_decimal(std::string_view text, unsigned max) {
  if (text.empty() || text.size() > 3 || !all_ascii_digits(text)) return std::nullopt;
  if (text.size() > 1 && text[0] == '0') return std::nullopt;
  unsigned number = 0;
  for (const char c : text) number = number * 10 + static_cast<unsigned>(c - '0');
  if (number > max) return std::nullopt;
  return number;
}

std::optional<V4Bytes> parse_v4(std::string_view text) {
  V4Bytes bytes{};
  for (std::size_t i = 0; i < 4; ++i) {
    const std::size_t end = i < 3 ? text.find('.') : text.size();
    if (end == std::string_view::npos) return std::nullopt;
    const auto part = parse_decimal(text.substr(0, end), 255);
    if (!part) return std::nullopt;
    bytes[i] = static_cast<std::uint8_t>(*part);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return bytes;
}

std::optional<unsigned> parse_group(std::string_view text) {
  if (text.empty() || text.size() > 4) return std::nullopt;
  unsigned group = 0;
  for (const char c : text) {
    const char lower = to_ascii_lower(c);
    if (is_ascii_digit(lower)) {
      group = group * 16 + static_cast<unsigned>(lower - '0');
    } else if (lower >= 'a' && lower <= 'f') {
      group = group * 16 + static_cast<unsigned>(lower - 'a' + 10);
    } else {
      return std::nullopt;
    }
  }
  return group;
}

// The bytes of groups on one side of `::`, or of a whole address.
struct Groups {
  V6Bytes bytes{};
  std::size_t size = 0;
};

enum class LastGroup { kHex, kHexOrDotted };

// Reads groups separated by single colons.
std::optional<Groups> parse_groups(std::string_view text, LastGroup last_group) {
  Groups groups;
  if (text.empty()) return groups;
  while (true) {
    const std::size_t colon = text.find(':');
    const bool last = colon == std::string_view::npos;
    const std::string_view part = text.substr(0, colon);
    if (last && last_group == LastGroup::kHexOrDotted && part.find('.') != std::string_view::npos) {
      const auto tail = parse_v4(part);
      if (!tail || groups.size + 4 > 16) return std::nullopt;
      std::copy(tail->begin(), tail->end(), groups.bytes.data() + groups.size);
      groups.size += 4;
      return groups;
    }
    const auto group = parse_group(part);
    if (!group || groups.size + 2 > 16) return std::nullopt;
    groups.bytes[groups.size++] = static_cast<std::uint8_t>(*group >> 8);
    groups.bytes[groups.size++] = static_cast<std::uint8_t>(*group & 0xff);
    if (last) return groups;
    text.remove_prefix(colon + 1);
  }
}

std::optional<V6Bytes> parse_v6(std::string_view text) {
  const std::size_t gap = text.find("::");
  if (gap == std::string_view::npos) {
    const auto groups = parse_groups(text, LastGroup::kHexOrDotted);
    if (!groups || groups->size != 16) return std::nullopt;
    return groups->bytes;
  }
  const auto head = parse_groups(text.substr(0, gap), LastGroup::kHex);
  const auto tail = parse_groups(text.substr(gap + 2), LastGroup::kHexOrDotted);
  // RFC 4291 §2.2: `::` stands for at least one group.
  if (!head || !tail || head->size + tail->size > 14) return std::nullopt;
  V6Bytes bytes = head->bytes;
  std::copy_n(tail->bytes.begin(), tail->size, bytes.end() - static_cast<std::ptrdiff_t>(tail->size));
  return bytes;
}

void append_number(std::string& text, unsigned number, int base) {
  char digits[8];
  const auto end = std::to_chars(std::begin(digits), std::end(digits), number, base).ptr;
  text.append(digits, end);
}

void append_v4(std::string& text, const std::uint8_t* bytes) {
  for (int i = 0; i < 4; ++i) {
    if (i > 0) text.push_back('.');
    append_number(text, bytes[i], 10);
  }
}

struct Run {
  std::size_t start = 0;
  std::size_t size = 0;
};

// The first of the longest zero runs, which RFC 5952 §4.2 shortens; empty if no run has two groups.
Run longest_zero_run(const std::array<unsigned, 8>& groups) {
  Run longest;
  for (std::size_t i = 0; i < 8; ++i) {
    std::size_t end = i;
    while (end < 8 && groups[end] == 0) ++end;
    if (end - i > longest.size) longest = {i, end - i};
    if (end > i) i = end - 1;
  }
  return longest.size >= 2 ? longest : Run{};
}

void append_v6(std::string& text, const std::uint8_t* bytes) {
  std::array<unsigned, 8> groups{};
  for (std::size_t i = 0; i < 8; ++i) groups[i] = bytes[2 * i] * 256U + bytes[2 * i + 1];
  const Run gap = longest_zero_run(groups);
  for (std::size_t i = 0; i < 8; ++i) {
    if (gap.size > 0 && i == gap.start) {
      text.append("::");
      i += gap.size - 1;
      continue;
    }
    if (!text.empty() && text.back() != ':') text.push_back(':');
    append_number(text, groups[i], 16);
  }
}

bool is_mapped(const V6Bytes& bytes) {
  return std::all_of(bytes.begin(), bytes.begin() + 10, [](std::uint8_t byte) { return byte == 0; }) &&
         bytes[10] == 0xff && bytes[11] == 0xff;
}

// The bits of byte `index` that a prefix covers.
std::uint8_t prefix_mask(unsigned prefix_bits, std::size_t index) {
  const unsigned before = static_cast<unsigned>(index) * 8;
  if (prefix_bits <= before) return 0;
  const unsigned covered = std::min(prefix_bits - before, 8U);
  return static_cast<std::uint8_t>(0xff00U >> covered);
}

template <std::size_t Size>
std::array<std::uint8_t, Size> masked(const std::uint8_t* bytes, unsigned prefix_bits) {
  std::array<std::uint8_t, Size> result{};
  for (std::size_t i = 0; i < Size; ++i) {
    result[i] = static_cast<std::uint8_t>(bytes[i] & prefix_mask(prefix_bits, i));
  }
  return result;
}

IpAddress network_of(const IpAddress& address, unsigned prefix_bits) {
  return address.is_v4() ? IpAddress::from_v4(masked<4>(address.bytes(), prefix_bits))
                         : IpAddress::from_v6(masked<16>(address.bytes(), prefix_bits));
}

}  // namespace

std::optional<IpAddress> IpAddress::parse(std::string_view text) {
  if (text.find(':') == std::string_view::npos) {
    const auto bytes = parse_v4(text);
    if (!bytes) return std::nullopt;
    return from_v4(*bytes);
  }
  const auto bytes = parse_v6(text);
  if (!bytes) return std::nullopt;
  return from_v6(*bytes);
}

IpAddress IpAddress::from_v4(const std::array<std::uint8_t, 4>& bytes) {
  IpAddress address;
  address.size_ = 4;
  std::copy(bytes.begin(), bytes.end(), address.bytes_.begin());
  return address;
}

IpAddress IpAddress::from_v6(const std::array<std::uint8_t, 16>& bytes) {
  IpAddress address;
  address.size_ = 16;
  address.bytes_ = bytes;
  return address;
}

std::string IpAddress::text() const {
  std::string text;
  if (is_v4()) {
    append_v4(text, bytes_.data());
  } else if (is_mapped(bytes_)) {
    text = "::ffff:";
    append_v4(text, bytes_.data() + 12);
  } else {
    append_v6(text, bytes_.data());
  }
  return text;
}

IpAddress IpAddress::unmapped() const {
  if (is_v4() || !is_mapped(bytes_)) return *this;
  return from_v4({bytes_[12], bytes_[13], bytes_[14], bytes_[15]});
}

IpAddress IpAddress::customer_network() const {
  constexpr std::size_t kNetworkBytes = 7;
  auto network = unmapped();
  if (!network.is_v4()) std::fill(network.bytes_.begin() + kNetworkBytes, network.bytes_.end(), 0);
  return network;
}

std::optional<Cidr> Cidr::parse(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const auto address = IpAddress::parse(text.substr(0, slash));
  if (!address) return std::nullopt;
  const auto prefix_bits = parse_decimal(text.substr(slash + 1), static_cast<unsigned>(address->size() * 8));
  if (!prefix_bits) return std::nullopt;

  const IpAddress inner = address->unmapped();
  if (inner != *address && *prefix_bits >= kMappedPrefixBits) {
    const unsigned inner_bits = *prefix_bits - kMappedPrefixBits;
    return Cidr(network_of(inner, inner_bits), inner_bits);
  }
  return Cidr(network_of(*address, *prefix_bits), *prefix_bits);
}

std::string Cidr::text() const {
  std::string text = network_.text();
  text.push_back('/');
  append_number(text, prefix_bits_, 10);
  return text;
}

bool Cidr::contains(const IpAddress& address) const {
  const IpAddress inner = address.unmapped();
  return inner.is_v4() == network_.is_v4() && network_of(inner, prefix_bits_) == network_;
}

bool is_within(const IpAddress& address, const std::vector<Cidr>& ranges) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [&](const Cidr& range) { return range.contains(address); });
}

}  // namespace pixledger
