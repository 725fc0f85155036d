#include "http/api/common/derived_id.h"

#include <cstddef>

#include "base/platform/sha256.h"

namespace pixledger::http {
namespace {

constexpr std::size_t kDigits = 24;  // beside the leading c: 124 bits of the digest
constexpr std::string_view kAlphabet = "0123456789abcdefghijklmnopqrstuvwxyz";

}  // namespace

std::string derived_id(std::initializer_list<std::string_view> parts) {
  std::string framed;
  for (const auto part : parts) framed += std::to_string(part.size()) + ":" + std::string(part);
  const auto digest = sha256(framed);
  std::string id = "c";
  for (std::size_t i = 0; i < kDigits; ++i) id += kAlphabet[digest[i] % kAlphabet.size()];
  return id;
}

}  // namespace pixledger::http
