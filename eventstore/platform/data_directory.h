#pragma once

#include <filesystem>
#include <string_view>

namespace pixledger::eventstore {

// Where everything is in one data directory.
struct DataDirectory {
  std::filesystem::path root;

  std::filesystem::path ledger() const { return root / "ledger"; }
  std::filesystem::path keys() const { return root / "keys"; }
  std::filesystem::path views() const { return root / "views"; }
  std::filesystem::path worker(std::string_view name) const { return root / "workers" / name; }
  // Held while somebody removes a customer's personal data.
  std::filesystem::path erasing_lock() const { return root / "erasing"; }
  // What the last backup and the last verification came to (operations_record.h).
  std::filesystem::path operations() const { return root / "operations.json"; }
};

}  // namespace pixledger::eventstore
