#pragma once

#include <memory>
#include <optional>

#include "eventstore/lmdb/event_appender.h"
#include "eventstore/lmdb/lmdb_log.h"

namespace pixledger::eventstore {

// Makes the ledger's environment in a new directory. Nothing is synced before finish(): until then it is not
// a ledger, since it has no format.
class LmdbLogImport final : public LogImport {
 public:
  // `format_of`: see LmdbLog.
  LmdbLogImport(const std::filesystem::path& directory, LmdbOptions options, FormatOf format_of = {});

  void append(const AppendedEvent& event) override;
  void add(const IdempotencyEntry& entry) override;
  Digest finish(const LogIdentity& identity, const LogEnd& end) override;

 private:
  void begin();
  void commit();

  const FormatOf format_of_;
  std::uint32_t format_ = kLedgerFormatVersion;
  LmdbEnvironment environment_;
  LmdbLog::Databases databases_;
  std::unique_ptr<LmdbWrite> write_;
  std::optional<EventAppender> appender_;  // in that write
  Position last_;
};

}  // namespace pixledger::eventstore
