#include "workers/follow/follow.h"

#include <algorithm>
#include <memory>
#include <set>
#include <unistd.h>

#include "base/platform/durable_files.h"
#include "base/platform/owner_lock.h"
#include "base/platform/signals.h"
#include "base/process/options.h"
#include "base/targets/open_target.h"
#include "base/text/ascii.h"
#include "eventstore/ledger.h"
#include "workers/common/retry_schedule.h"
#include "workers/common/worker_process.h"
#include "workers/follow/target_follower.h"

namespace pixledger::workers {
namespace {

using std::chrono::milliseconds;

constexpr const char* kProgram = "pixledger-follow";
constexpr milliseconds kIntervalMax = std::chrono::hours(1);
constexpr milliseconds kKeepMax = std::chrono::hours(24 * 3'650);
constexpr std::size_t kNameMax = 32;
constexpr milliseconds kStatusEvery{1'000};

// The interval must not be zero.
milliseconds duration(const std::string& option, const std::string& text, milliseconds max) {
  const auto parsed = parse_duration(text, max);
  if (!parsed || parsed->count() == 0)
    throw UsageError(option + " must be a duration such as 1s, 2min, 36h or 90d, got " + text);
  return *parsed;
}

bool is_name(const std::string& text) {
  const auto is_valid = [](char c) { return (c >= 'a' && c <= 'z') || is_ascii_digit(c) || c == '-'; };
  return !text.empty() && text.size() <= kNameMax && std::all_of(text.begin(), text.end(), is_valid);
}

// Splits [NAME=]TARGET. A URI may have a '=' in it, but not before its first '/'.
TargetFollowerOptions split(const std::string& text, std::size_t number) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals > text.find('/'))
    return {"t" + std::to_string(number), text, {}, {}, {}, {}};
  const auto name = text.substr(0, equals);
  if (!is_name(name)) throw UsageError("--to: a NAME is of a-z, 0-9 and '-', at most 32 of them");
  return {name, text.substr(equals + 1), {}, {}, {}, {}};
}

bool lies_in(const std::filesystem::path& path, const std::filesystem::path& directory) {
  const auto relative = std::filesystem::weakly_canonical(path).lexically_relative(
      std::filesystem::weakly_canonical(std::filesystem::absolute(directory)));
  return !relative.empty() && *relative.begin() != "..";
}

std::string host_name() {
  char name[256] = "unknown";
  ::gethostname(name, sizeof name - 1);
  return name;
}

ObjectEncryption encryption_of(const FollowOptions& follow, Entropy& entropy) {
  std::vector<AgeRecipient> recipients;
  for (const auto& text : follow.encrypt_to)
    recipients.push_back(parse_option<AgeRecipient>("--encrypt-to", text));
  if (recipients.size() > AgeEncryption::kRecipientsMax)
    throw UsageError("--encrypt-to: at most " + std::to_string(AgeEncryption::kRecipientsMax) + " keys");
  return {std::move(recipients), entropy};
}

std::vector<TargetFollowerOptions> targets_of(const FollowOptions& follow, const FollowFlags& flags,
                                              Entropy& entropy) {
  if (follow.to.empty()) throw UsageError("--to says where to copy the ledger to: give at least one");
  std::vector<TargetFollowerOptions> targets;
  std::set<std::string> names;
  const auto encryption = encryption_of(follow, entropy);
  for (const auto& text : follow.to) {
    auto& target = targets.emplace_back(split(text, targets.size() + 1));
    if (!names.insert(target.name).second) throw UsageError("--to: two targets are called " + target.name);
    target.s3_credentials = follow.s3_credentials;
    target.erase_within = duration("--erase-within", follow.erase_within, kKeepMax);
    target.interval = duration("--interval", follow.interval, kIntervalMax);
    target.copy.host = host_name();
    target.copy.take_over = flags.take_over;
    target.copy.keep_states = duration("--keep", follow.keep, kKeepMax);
    target.copy.encryption = encryption;
  }
  return targets;
}

class Following {
 public:
  Following(const TargetFollowerParts& parts, const std::vector<TargetFollowerOptions>& targets)
      : parts_(parts) {
    for (const auto& target : targets) {
      if (lies_in(open_target(target.uri, target.s3_credentials)->uri(), parts.data.root))
        throw UsageError("--to: " + target.uri + " lies in the data directory, and would be lost with it");
      followers_.push_back(std::make_unique<TargetFollower>(parts, target));
    }
  }

  int copy_once() {
    bool all = true;
    for (const auto& follower : followers_) all = follower->copy_once() && all;
    write_status();
    return all ? kExitDone : kExitFault;
  }

  int serve() {
    for (const auto& follower : followers_) follower->start();
    bool is_hopeless = false;
    while (!is_hopeless && !wait_for_stop(kStatusEvery)) {
      for (const auto& follower : followers_) follower->check();
      write_status();
      is_hopeless = std::all_of(followers_.begin(), followers_.end(),
                                [](const auto& follower) { return follower->is_hopeless(); });
    }
    for (const auto& follower : followers_) follower->stop();
    return is_hopeless ? kExitFault : kExitDone;
  }

 private:
  void write_status() const {
    stores::FollowStatus status{parts_.clock.now(), {}};
    for (const auto& follower : followers_) status.targets.push_back(follower->status());
    write_follow_status(parts_.data.workers(), status);
  }

  const TargetFollowerParts parts_;
  std::vector<std::unique_ptr<TargetFollower>> followers_;
};

int serve(const eventstore::LedgerOptions& options, const std::vector<TargetFollowerOptions>& targets,
          const FollowFlags& flags) {
  SystemClock clock;
  Logger logger(options.log_format, clock);
  const auto ledger = eventstore::Ledger::open(options);
  const auto directory = options.data.worker("follow");
  create_durably(std::filesystem::absolute(directory));
  if (flags.once && is_locked(directory / "lock"))
    throw std::runtime_error("another follower is at work: " + OwnerLock::holder_of(directory / "lock"));
  std::string names;
  for (const auto& target : targets) names += (names.empty() ? "" : ", ") + target.name;
  const auto turn = begin_worker(
      logger, {.program = kProgram, .data = options.data, .log = *ledger.log, .addresses = names}, directory);
  if (!turn) return kExitDone;
  Following following({options.data, *ledger.log, clock, logger}, targets);
  for (const auto& target : targets)
    if (!target.copy.encryption.is_on())
      logger.warning("personal data are stored unencrypted", {{"target", target.name}});
  const int code = flags.once ? following.copy_once() : following.serve();
  turn->run.end_cleanly();
  return code;
}

}  // namespace

void add_follow_flags(CommandLine& line, FollowFlags& flags) {
  line.add_flag("--once", flags.once, "Copy what is there now, then end").flag_alone();
  line.add_flag("--take-over", flags.take_over,
                "Continue targets that another epoch of this ledger wrote, such as that before a restore")
      .flag_alone();
}

int follow(const eventstore::LedgerOptions& options, const FollowOptions& follow, const FollowFlags& flags) {
  SystemEntropy entropy;
  const auto targets = targets_of(follow, flags, entropy);
  for (const auto& target : targets) open_target(target.uri, target.s3_credentials);
  return run_worker(options, options.data.worker("follow"), [&] { return serve(options, targets, flags); });
}

}  // namespace pixledger::workers
