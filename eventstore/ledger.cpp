#include "eventstore/ledger.h"

namespace pixledger::eventstore {

void Ledger::create(const DataDirectory& directory, Entropy& entropy, const Clock& clock, const LmdbOptions& options) {
  if (directory.exists())
    throw std::runtime_error("there is a ledger in " + directory.root.string() + " already");
  std::filesystem::create_directories(directory.root);
  // A creation that was interrupted may have left the keys behind; nothing is sealed with them yet.
  if (!std::filesystem::exists(directory.keys())) Keyring::create(directory.keys(), entropy, clock.now());
  LmdbLog::create(directory.ledger(), entropy, options);
}

Ledger Ledger::open(const DataDirectory& directory, const LmdbOptions& options) {
  auto log = std::make_unique<LmdbLog>(directory.ledger(), options);
  return {directory, std::move(log), Keyring::open(directory.keys())};
}

}  // namespace pixledger::eventstore
