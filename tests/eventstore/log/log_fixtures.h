#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "eventstore/lmdb/lmdb_log.h"
#include "tests/support/domain/sample_values.h"
#include "tests/support/memory_log.h"
#include "tests/support/one_gigabyte.h"
#include "tests/support/seeded_entropy.h"
#include "tests/support/temporary_directory.h"

// Each implementation of Log, and short ways to fill one.
namespace pixledger::tests {

using namespace eventstore;

struct InMemory {
  MemoryLog log{{"000102030405060708090a0b0c0d0e0f", 1}};

  Log& get() { return log; }
  void reopen() {}
};

class OnDisk {
 public:
  OnDisk() {
    SeededEntropy entropy(1);
    LmdbLog::create(directory_.path() / "ledger", entropy, options());
    reopen();
  }

  Log& get() { return *log_; }
  void reopen() {
    log_.reset();
    log_ = std::make_unique<LmdbLog>(directory_.path() / "ledger", options());
  }

 private:
  // Under ThreadSanitizer a terabyte is not always to be had.
  static LmdbOptions options() {
    const auto options = tests::one_gigabyte();
    return options;
  }

  TemporaryDirectory directory_;
  std::unique_ptr<LmdbLog> log_;
};

inline StreamName stream(const std::string& name) {
  return StreamName::parse("charge-c0000000" + name).value();
}

inline NewRecord record(const std::string& name, std::uint32_t version, const std::string& bytes = "envelope",
                        const std::string& personal = {}, const std::vector<std::string>& claims = {}) {
  NewRecord made{stream(name), version, bytes, personal, {}};
  for (const auto& claim : claims) made.claims.emplace_back(claim);
  return made;
}

inline Batch batch(std::vector<NewRecord> records, Timestamp time = kStart) {
  return {time, 0, std::move(records), {}};
}

inline Batch remembering(const std::string& name, Timestamp time) {
  return {time, 0, {}, {{sha256(name), "record of " + name}}};
}

inline void commit(Log& log, const Batch& batch) {
  const auto write = log.begin_write();
  write->append(batch);
  write->commit();
}

// `count` events in batches of one to five, with personal data in some.
inline void fill(Log& log, unsigned count) {
  unsigned made = 0;
  for (unsigned size = 1; made < count; size = size % 5 + 1) {
    Batch next = batch({});
    for (unsigned i = 0; i < size && made < count; ++i) {
      ++made;
      const auto number = std::to_string(made);
      next.records.push_back(
          record(number, 1, "envelope " + number, made % 3 == 0 ? "personal " + number : ""));
    }
    commit(log, next);
  }
}

inline std::vector<std::uint64_t> positions_of(const std::vector<StoredEvent>& events) {
  std::vector<std::uint64_t> positions;
  for (const auto& event : events) positions.push_back(event.position.value());
  return positions;
}

inline std::vector<std::string> envelopes_of(const std::vector<StoredEvent>& events) {
  std::vector<std::string> bytes;
  for (const auto& event : events) bytes.push_back(event.bytes);
  return bytes;
}

}  // namespace pixledger::tests
