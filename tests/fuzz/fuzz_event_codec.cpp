#include <cassert>
#include <cstddef>
#include <cstdint>

#include "domain/aggregates/event.h"
#include "eventstore/codec/codec.h"

namespace {

using namespace pixledger;

class NoEntropy final : public Entropy {
 public:
  void fill(std::span<std::byte> bytes) override {
    for (auto& byte : bytes) byte = std::byte{0};
  }
};

constexpr std::size_t kLengthBytes = 2;

}  // namespace

// The envelope, the personal data, and in the last two bytes how long the latter are. What can be read can be
// written, and reads as the same type again.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < kLengthBytes) return 0;
  const std::string input(reinterpret_cast<const char*>(data), size - kLengthBytes);
  const auto personal_bytes = static_cast<std::size_t>(data[size - 2] | data[size - 1] << 8);
  if (personal_bytes > input.size()) return 0;
  const auto personal = input.substr(input.size() - personal_bytes);
  eventstore::StoredEvent stored{Position(1), input.substr(0, input.size() - personal_bytes),
                                 sha256(personal), personal};
  try {
    const auto event = eventstore::decode(stored);
    NoEntropy entropy;
    auto again = eventstore::encode(event, entropy);
    const auto digest = sha256(again.personal);
    const auto read = eventstore::decode({event.position, again.bytes, digest, again.personal});
    assert(domain::kind_of(read.event).name == domain::kind_of(event.event).name);
    assert(read.stream == event.stream && read.version == event.version);
  } catch (const eventstore::LogCorrupt&) {
    // What is not an event says so.
  } catch (const eventstore::WrittenByNewerRelease&) {
    // So does one of a type that is not there yet.
  }
  return 0;
}
