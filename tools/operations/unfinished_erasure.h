#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "domain/values/cuid.h"
#include "eventstore/ledger.h"
#include "tools/operations/erasure_leftovers.h"

namespace pixledger::tools {

// A file in the data directory that names a customer from before their erasure is recorded until nothing of
// them is left. The ledger alone does not tell whether what removed bytes leave in its file was overwritten.
// The file also lists what goes on naming them, which no later run can find, without personal data.
class UnfinishedErasure {
 public:
  // Durable on return. One at a time (the caller's lock). Throws std::system_error.
  UnfinishedErasure(const std::filesystem::path& data, const domain::CustomerId& customer);
  // Takes the mark away if nothing was recorded and it was not there before.
  ~UnfinishedErasure();
  UnfinishedErasure(const UnfinishedErasure&) = delete;
  UnfinishedErasure& operator=(const UnfinishedErasure&) = delete;

  // The erasure is recorded: the mark stays until finish().
  void keep() { stays_ = true; }
  // Durable on return.
  void note(const ErasureLeftovers& left) const;
  // What an earlier run noted; nullopt: nothing, or the file is damaged.
  std::optional<ErasureLeftovers> noted() const;
  void finish();

 private:
  const std::filesystem::path file_;
  const domain::CustomerId customer_;
  bool stays_;
};

// Their customers, while they are under way or when they were not finished.
std::vector<std::string> find_unfinished_erasures(const std::filesystem::path& data);

// Those of them that nobody is working on: whoever did was stopped.
std::vector<std::string> find_abandoned_erasures(const DataDirectory& data);

}  // namespace pixledger::tools
