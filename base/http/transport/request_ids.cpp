#include "base/http/transport/request_ids.h"

#include <bit>

namespace pixledger::http {
namespace {

constexpr int kCharactersPerNumber = 12;  // 36^12 < 2^64
constexpr int kNumbers = 2;

}  // namespace

RequestIds::RequestIds(const std::function<void(std::span<std::byte>)>& entropy) {
  entropy(std::as_writable_bytes(std::span(state_)));
  state_[0] |= 1;  // the generator must not start at all zeros
}

std::uint64_t RequestIds::random() {
  const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
  const std::uint64_t shifted = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

void RequestIds::next(std::string& id) {
  id = "req_";
  for (int number = 0; number < kNumbers; ++number) {
    std::uint64_t rest = random();
    for (int i = 0; i < kCharactersPerNumber; ++i, rest /= 36)
      id += "0123456789abcdefghijklmnopqrstuvwxyz"[rest % 36];
  }
}

}  // namespace pixledger::http
