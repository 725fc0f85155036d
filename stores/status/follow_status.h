#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/values/position.h"
#include "base/values/timestamp.h"

// How far `pixledger follow` has come: follow/status.json in the directory of the workers. The follower
// writes it; the server's metrics and the doctor read it.
namespace pixledger::stores {

struct FollowedTarget {
  std::string name;
  std::string uri;  // without a secret
  bool is_encrypted = false;
  bool is_up = false;                             // the last copy succeeded
  Position position;                              // all events up to it are there
  std::string problem;                            // why it is not up
  std::string reason;                             // the kind of that, see TargetFault
  std::map<std::string, std::uint64_t> failures;  // since the follower started, by reason
  std::uint64_t erasures_pending = 0;
  std::optional<Timestamp> locked_until;  // the target keeps what erasures should have removed
};

struct FollowStatus {
  Timestamp written_at;
  std::vector<FollowedTarget> targets;
};

// `workers`: the directory with a subdirectory a worker. nullopt if nothing has ever followed there, or the
// file is damaged.
std::optional<FollowStatus> read_follow_status(const std::filesystem::path& workers);
// The follower writes every second; none is at work if the status is older than this.
inline constexpr std::int64_t kFollowStatusMaxMs = 30'000;
// Atomic, not durable. Throws std::system_error.
void write_follow_status(const std::filesystem::path& workers, const FollowStatus& status);

}  // namespace pixledger::stores
