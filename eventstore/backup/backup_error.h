#pragma once

#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>

#include "domain/aggregates/event.h"

namespace pixledger::eventstore {

// A backup that is not what was written, or that does not fit: nothing was made of it. what() says all.
class BackupRefused : public std::runtime_error {
 public:
  explicit BackupRefused(const std::string& problem) : std::runtime_error(problem) {}
};

// A file of a backup that is missing or is not the one that was written. `position`: of the event whose bytes
// are bad, in a file of events.
inline BackupRefused damaged(const std::filesystem::path& file, const std::string& problem,
                             std::optional<Position> position = std::nullopt) {
  return BackupRefused(file.string() +
                       (position ? " is damaged at position " + std::to_string(position->value())
                                 : std::string(" is damaged")) +
                       ": " + problem);
}

}  // namespace pixledger::eventstore
