#pragma once

#include <optional>
#include <string_view>

namespace pixledger::domain {

// Where a charge lives. The kind of API key that created it decides; money moves only in `live`.
enum class Environment : unsigned char { kLive, kSandbox };

constexpr std::string_view to_string(Environment environment) {
  return environment == Environment::kLive ? "live" : "sandbox";
}

constexpr std::optional<Environment> parse_environment(std::string_view text) {
  if (text == "live") return Environment::kLive;
  if (text == "sandbox") return Environment::kSandbox;
  return std::nullopt;
}

}  // namespace pixledger::domain
