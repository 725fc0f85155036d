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
  // Returns the generation in use; nullopt: none can be trusted. Called again if the returned one has been
  // deleted.
  std::function<std::optional<std::filesystem::path>()> find_generation{};
  eventstore::LmdbOptions lmdb{};  // for both generations
  // A directory in which read models are built and then removed.
  std::filesystem::path scratch{};
  // Progress of events applied and of rows compared.
  projections::BuildProgress building{};
  projections::BuildProgress comparing{};
};

struct ViewVerification {
  std::filesystem::path generation;  // the one compared, or unreadable
  projections::GenerationDifferences differences;

  // Nullopt if they are equal.
  std::optional<Finding> finding() const;
};

// Builds read models from the ledger beside those in use, which a server may keep using, and compares the two
// at one position. Needs as much disk space in `scratch` as the read models. Nullopt if none are in use.
std::optional<ViewVerification> verify_read_models(const eventstore::Log& log,
                                                   const ViewVerificationOptions& options);

// The read models that a server would open; nullopt if there are none.
std::optional<std::filesystem::path> find_read_models(const CommandContext& context,
                                                      const eventstore::Log& log);

// Runs verify_read_models with those, and shows progress on a terminal. `scratch` is a directory.
std::optional<ViewVerification> compare_read_models(const CommandContext& context, const eventstore::Log& log,
                                                    const std::string& scratch);

// `pixledger projections verify`; returns the exit code.
int verify_projections(const CommandContext& context);

}  // namespace pixledger::tools
