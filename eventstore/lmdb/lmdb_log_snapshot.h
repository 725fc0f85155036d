#pragma once

#include "eventstore/lmdb/lmdb_log.h"

namespace pixledger::eventstore {

// One transaction on the ledger's databases.
class LmdbLogSnapshot final : public LogSnapshot {
 public:
  LmdbLogSnapshot(const LmdbEnvironment& environment, const LmdbLog::Databases& databases)
      : read_(environment), databases_(databases) {}

  LogEnd end() const override;
  std::unique_ptr<PositionCursor> events() const override;
  std::unique_ptr<PositionCursor> personal() const override;
  std::unique_ptr<PositionCursor> tree() const override;
  std::unique_ptr<StreamCursor> streams() const override;
  std::unique_ptr<EntryCursor<ClaimEntry>> claims() const override;
  std::uint64_t claim_count() const override;
  std::optional<std::string_view> claim_holder(const ClaimName& claim) const override;
  std::unique_ptr<EntryCursor<IdempotencyEntry>> idempotency(Timestamp from) const override;
  std::optional<std::string> problem_of_idempotency() const override;
  std::optional<std::string> problem_of_meta() const override;

 private:
  std::uint64_t entries(MDB_dbi database) const;

  LmdbRead read_;
  const LmdbLog::Databases& databases_;
};

}  // namespace pixledger::eventstore
