#pragma once

#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>

#include "domain/aggregates/event.h"

namespace pixledger::eventstore {

// A backup is damaged or does not fit: nothing was made from it. what() is the full message.
class BackupRefused : public std::runtime_error {
 public:
  explicit BackupRefused(const std::string& problem) : std::runtime_error(problem) {}
};

// A backup's file is missing or damaged. `position`: of the event with the bad bytes, in a file of events.
inline BackupRefused damaged(const std::filesystem::path& file, const std::string& problem,
                             std::optional<Position> position = std::nullopt) {
  return BackupRefused(file.string() +
                       (position ? " is damaged at position " + std::to_string(position->value())
                                 : std::string(" is damaged")) +
                       ": " + problem);
}

}  // namespace pixledger::eventstore
