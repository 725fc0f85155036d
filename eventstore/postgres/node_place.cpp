#include "eventstore/postgres/node_place.h"

#include "eventstore/platform/durable_files.h"
#include "eventstore/platform/entropy.h"
#include "eventstore/platform/sha256.h"

namespace pixledger::eventstore {
namespace {

constexpr const char* kFile = "node.id";
constexpr std::size_t kDigits = 16;

}  // namespace

std::string place_of(const SharedNode& node) {
  const auto file = node.directory / kFile;
  auto id = read_if_there(file);
  if (!id) {
    const DirectoryLock lock(node.directory);
    id = read_if_there(file);
    if (!id) {
      Digest drawn{};
      SystemEntropy().fill(std::as_writable_bytes(std::span(drawn)));
      id = to_hex(drawn).substr(0, kDigits);
      write_durably(file, *id);
    }
  }
  return node.directory.string() + "#" + *id;
}

}  // namespace pixledger::eventstore
