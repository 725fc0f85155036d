#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "eventstore/lmdb/lmdb_log.h"
#include "eventstore/lmdb/lmdb_log_import.h"
#include "tests/support/domain/sample_values.h"
#include "tests/support/memory_log.h"
#include "tests/support/one_gigabyte.h"
#include "tests/support/seeded_entropy.h"
#include "tests/support/shared_ledger.h"
#include "tests/support/temporary_directory.h"

// Each implementation of Log, and helpers to fill one.
namespace pixledger::tests {

using namespace eventstore;

struct InMemory {
  MemoryLog log{{"000102030405060708090a0b0c0d0e0f", 1}};

  LedgerLog& get() { return log; }
  void reopen() {}
};

// An import of another log into memory, until it is finished.
struct ImportInMemory {
  LogImport& import() { return imported; }
  LedgerLog& log() { return imported.log(); }

  MemoryLogImport imported;
};

class OnDisk {
 public:
  OnDisk() {
    SeededEntropy entropy(1);
    LmdbLog::create(directory_.path() / "ledger", entropy, options());
    reopen();
  }

  LedgerLog& get() { return *log_; }
  void reopen() {
    log_.reset();
    log_ = std::make_unique<LmdbLog>(directory_.path() / "ledger", options());
  }

 private:
  // ThreadSanitizer cannot always reserve a terabyte.
  static LmdbOptions options() {
    auto options = tests::one_gigabyte();
    // A follower that is not woken must not notice by polling.
    options.look_every = std::chrono::hours(1);
    return options;
  }

  TemporaryDirectory directory_;
  std::unique_ptr<LmdbLog> log_;
};

// One node of a ledger in PostgreSQL.
class Shared {
 public:
  Shared() {
    node_.make(database_);
    node_.open();
  }

  LedgerLog& get() { return node_.log(); }
  void reopen() { node_.open(); }

 private:
  SharedDatabase database_;
  SharedNodeDirectory node_{database_, "n1"};
};

class ImportOnDisk {
 public:
  LogImport& import() { return *import_; }
  LedgerLog& log() {
    import_.reset();
    if (!log_) log_ = std::make_unique<LmdbLog>(path(), one_gigabyte());
    return *log_;
  }

 private:
  std::filesystem::path path() const { return directory_.path() / "ledger"; }

  TemporaryDirectory directory_;
  std::unique_ptr<LogImport> import_ = std::make_unique<LmdbLogImport>(path(), one_gigabyte());
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

// The whole content of a log without its identity and clock, one entry a line.
inline std::vector<std::string> content_of(const LedgerLog& log) {
  std::vector<std::string> lines;
  const auto snapshot = log.snapshot();
  const auto end = snapshot->end();
  lines.push_back("head " + std::to_string(end.head.position.value()) + " " +
                  std::to_string(end.head.time.millis()) + " " + std::to_string(end.id_counter) + " " +
                  (end.keyring ? to_hex(*end.keyring) : "unbound"));
  const auto add_all = [&lines](const char* kind, const std::unique_ptr<PositionCursor>& cursor) {
    for (bool more = cursor->seek(Position()); more; more = cursor->next())
      lines.push_back(kind + std::to_string(cursor->position().value()) + " " + to_hex(cursor->value()));
  };
  add_all("event ", snapshot->events());
  add_all("personal ", snapshot->personal());
  add_all("tree ", snapshot->tree());
  const auto streams = snapshot->streams();
  for (bool more = streams->seek({}); more; more = streams->next()) {
    const auto& entry = streams->entry();
    lines.push_back("stream " + std::string(entry.stream) + " " + std::to_string(entry.version) + " " +
                    std::to_string(entry.position.value()));
  }
  const auto claims = snapshot->claims();
  for (bool more = claims->seek({}); more; more = claims->next())
    lines.push_back("claim " + std::string(claims->entry().name) + " " + std::string(claims->entry().holder));
  const auto idempotency = snapshot->idempotency(Timestamp());
  for (bool more = idempotency->seek({}); more; more = idempotency->next()) {
    const auto& entry = idempotency->entry();
    lines.push_back("idempotency " + std::to_string(entry.time.millis()) + " " + to_hex(entry.key) + " " +
                    to_hex(entry.record));
  }
  return lines;
}

}  // namespace pixledger::tests
