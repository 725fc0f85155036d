#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/enum_names.h"

namespace pixledger::domain {

// One of a project's two environments. They share no charges, customers, refusals or blocklists. The API
// key's kind selects the environment; money moves only in `live`.
enum class Environment : unsigned char { kLive, kSandbox };

inline constexpr EnumNames<Environment::kLive, Environment::kSandbox> kEnvironmentNames{"live", "sandbox"};
constexpr std::string_view to_string(Environment environment) { return kEnvironmentNames.of(environment); }

constexpr std::optional<Environment> parse_environment(std::string_view text) {
  return kEnvironmentNames.parse(text);
}

constexpr Environment other_than(Environment environment) {
  return environment == Environment::kLive ? Environment::kSandbox : Environment::kLive;
}

// One environment or both. Stored as bits by number.
class EnvironmentSet {
 public:
  static constexpr std::uint32_t kAllBits = 3;

  static EnvironmentSet all() { return EnvironmentSet(kAllBits); }
  static EnvironmentSet only(Environment environment) {
    return EnvironmentSet(1U << static_cast<unsigned>(environment));
  }
  static std::optional<EnvironmentSet> from_bits(std::uint32_t bits);
  // Comma-separated names; nullopt if one is unknown or the text is empty.
  static std::optional<EnvironmentSet> parse(std::string_view comma_separated);

  std::uint32_t bits() const { return bits_; }
  bool contains(Environment environment) const {
    return ((bits_ >> static_cast<unsigned>(environment)) & 1U) != 0;
  }
  std::string text() const;  // "live,sandbox"
  std::vector<Environment> list() const;

  friend bool operator==(const EnvironmentSet&, const EnvironmentSet&) = default;

 private:
  explicit EnvironmentSet(std::uint32_t bits) : bits_(bits) {}
  std::uint32_t bits_;
};

}  // namespace pixledger::domain
