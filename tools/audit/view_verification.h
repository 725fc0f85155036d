#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "projections/generations/generation_comparison.h"
#include "tools/audit/finding.h"
#include "tools/cli/command_context.h"

namespace pixledger::tools {

struct ViewVerificationOptions {
  // The generation in use; nullopt: there is none to trust. Asked again when the one it named is gone.
  std::function<std::optional<std::filesystem::path>()> find_generation{};
  eventstore::LmdbOptions lmdb{};  // of both generations
  // A directory in which read models are built, and removed again.
  std::filesystem::path scratch{};
  // Told of events that are built from, and of rows that are compared; of how many.
  projections::BuildProgress building{};
  projections::BuildProgress comparing{};
};

struct ViewVerification {
  std::filesystem::path generation;  // the one that was compared, or could not be read
  projections::GenerationDifferences differences;

  // None where they are equal.
  std::optional<Finding> finding() const;
};

// Builds read models from the ledger beside those in use, which a server may go on with, and compares the two
// at one position. Takes as much room in `scratch` as read models do. nullopt: there are none in use.
std::optional<ViewVerification> verify_read_models(const eventstore::Log& log,
                                                   const ViewVerificationOptions& options);

// The read models that a server would open; nullopt when there are none.
std::optional<std::filesystem::path> find_read_models(const CommandContext& context,
                                                      const eventstore::Log& log);

// verify_read_models with those, shown on a terminal. `scratch` is a directory.
std::optional<ViewVerification> compare_read_models(const CommandContext& context, const eventstore::Log& log,
                                                    const std::string& scratch);

// `pixledger projections verify`; returns the exit code.
int verify_projections(const CommandContext& context);

}  // namespace pixledger::tools
