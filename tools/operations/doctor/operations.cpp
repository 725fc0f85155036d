#include <algorithm>

#include "eventstore/lmdb/database_facts.h"
#include "stores/status/follow_status.h"
#include "stores/status/operations_record.h"
#include "tools/operations/doctor/diagnosis.h"

namespace pixledger::tools {
namespace {

// As in the alert rules.
constexpr std::int64_t kBackupMaxMs = 36LL * 3600 * 1000;
constexpr std::int64_t kVerificationMaxMs = 8LL * 24 * 3600 * 1000;
constexpr const char* kBackUp = "run pixledger backup DIR every day (pixledger-backup.timer)";
constexpr const char* kVerify = "run pixledger verify every week (pixledger-verify.timer)";

Diagnosis backup(const stores::OperationsRecord& record, Timestamp now) {
  const auto last = record.backup ? record.backup->last_success_at : std::nullopt;
  if (!last) return {"backup", Severity::kWarning, "none has succeeded yet", kBackUp};
  const auto text = "the last one that succeeded ended at " + to_iso8601(*last);
  if (!record.backup->succeeded)
    return {"backup", Severity::kWarning,
            text + "; the one of " + to_iso8601(record.backup->ended_at) + " failed", kBackUp};
  const bool is_old = now.millis() - last->millis() > kBackupMaxMs;
  return {"backup", is_old ? Severity::kWarning : Severity::kOk, text, is_old ? kBackUp : ""};
}

Diagnosis verification(const stores::OperationsRecord& record, Timestamp now) {
  if (!record.verification) return {"verification", Severity::kWarning, "there has been none yet", kVerify};
  const auto ended_at = record.verification->ended_at;
  const auto when = "at " + to_iso8601(ended_at);
  if (!record.verification->sound)
    return {"verification", Severity::kProblem, "the last one, " + when + ", found that something is wrong",
            "run pixledger verify, which says what"};
  const bool is_old = now.millis() - ended_at.millis() > kVerificationMaxMs;
  return {"verification", is_old ? Severity::kWarning : Severity::kOk,
          "the last one ended " + when + ": sound", is_old ? kVerify : ""};
}

// Now the target may have more: the status is up to a second old.
std::uint64_t lag(const stores::FollowedTarget& target, Position head) {
  return std::max(head, target.position).value() - target.position.value();
}

Diagnosis copy_at(const stores::FollowedTarget& target, bool is_at_work, Position head) {
  const auto check = "follow " + target.name;
  const auto has = "it has all up to position " + std::to_string(target.position.value()) + ", " +
                   std::to_string(lag(target, head)) + " events behind";
  if (!is_at_work)
    return {check, Severity::kWarning, "no follower is at work; " + has, "start pixledger-follow"};
  if (!target.is_up) return {check, Severity::kWarning, target.problem + "; " + has, "correct that"};
  if (target.is_encrypted) return {check, Severity::kOk, has + ", encrypted", ""};
  return {check, Severity::kOk, has + "; personal data are stored unencrypted at " + target.name, ""};
}

Diagnosis erasures_at(const stores::FollowedTarget& target) {
  const auto text = std::to_string(target.erasures_pending) + " erased customers may still be in its files";
  if (target.locked_until)
    return {"erasure at " + target.name, Severity::kWarning,
            text + ": object lock keeps old versions until " + to_iso8601(*target.locked_until), ""};
  return {"erasure at " + target.name, Severity::kWarning, text,
          "see that pixledger-follow runs and that no erasure is unfinished"};
}

}  // namespace

void examine_targets(const eventstore::LedgerOptions& options, const Clock& clock, Diagnoses& found) {
  try {
    const auto status = stores::read_follow_status(options.data.workers());
    if (!status) return;
    const auto head = eventstore::inspect_ledger(options.data.ledger(), options.map_bytes).head.position;
    const bool is_at_work = clock.now().millis() - status->written_at.millis() <= stores::kFollowStatusMaxMs;
    for (const auto& target : status->targets) {
      found.push_back(copy_at(target, is_at_work, head));
      if (target.erasures_pending > 0) found.push_back(erasures_at(target));
    }
  } catch (const std::exception& error) {
    found.push_back({"follow", Severity::kWarning, error.what(), "run this as the directory's owner"});
  }
}

void examine_operations(const DataDirectory& data, const Clock& clock, Diagnoses& found) {
  try {
    const auto record = stores::read_operations(data);
    if (record.is_damaged) {
      found.push_back({"backup", Severity::kWarning,
                       data.operations().string() +
                           " is damaged: it is not known what the last backup and verification came to",
                       "run pixledger backup DIR and pixledger verify, which write it anew"});
      return;
    }
    found.push_back(backup(record, clock.now()));
    found.push_back(verification(record, clock.now()));
  } catch (const std::exception& error) {
    found.push_back({"backup", Severity::kWarning, error.what(), "run this as the directory's owner"});
  }
}

}  // namespace pixledger::tools
