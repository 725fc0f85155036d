#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tests/crash/trace_record.h"

namespace pixledger::tests {

// The file that the interposer fills while a server runs, mapped into the test.
class TraceFile {
 public:
  TraceFile(std::filesystem::path file, std::size_t records_max);
  ~TraceFile();
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;

  const std::filesystem::path& file() const { return file_; }
  // The environment of a traced process: NAME=VALUE.
  std::vector<std::string> environment(const std::filesystem::path& ledger_directory) const;

  // From now on these calls on the ledger fail with this errno. 0: they succeed again.
  void fail_pages_with(int error);
  void fail_metas_with(int error);
  void fail_journal_with(int error);
  void fail_syncs_with(int error);
  // Throws if the file was too small for all records.
  std::vector<TraceRecord> records() const;

 private:
  std::filesystem::path file_;
  std::size_t bytes_;
  TraceHeader* header_;
};

struct TraceVerdict {
  std::size_t commits = 0;               // writes of a meta page
  std::vector<std::string> replied_ids;  // of the charges in 201 replies
  std::vector<std::string> violations;
};

// Proves from the order of calls, not from their times, that for every 201 reply the journal's record with
// its charge was written, then synced, then LMDB's meta page was written, and only then the reply began to
// leave; and that no meta page was written while a record with a charge was not yet synced: nobody reads what
// is not durable.
TraceVerdict check_trace(std::vector<TraceRecord> records);

}  // namespace pixledger::tests
