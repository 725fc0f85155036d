#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "eventstore/lmdb/lmdb_log.h"
#include "eventstore/postgres/batch_rows.h"
#include "eventstore/postgres/copy_guard.h"
#include "eventstore/postgres/pg_client.h"

namespace pixledger::eventstore {

// One turn among all nodes, in which the copy is written as far as PostgreSQL is: LogWrite on a shared
// ledger. It decides on the copy; that a commit counts is decided by PostgreSQL.
class SharedWrite final : public LogWrite {
 public:
  struct Parts {
    LmdbLog& copy;
    const CopyGuard& guard;
    // Its own for as long as it lives, whichever the log goes on with.
    std::shared_ptr<PgClient> client;
    // Another client that may be believed, which does not wait for long.
    std::function<std::unique_ptr<PgClient>()> connect;
    std::function<void()> on_unknown;
    // The number of the commit that will be in the copy once PostgreSQL has confirmed it; 0: none.
    std::atomic<std::uint64_t>& own_commit;
    // That of a commit which a standby is known to have, and all before it.
    std::atomic<std::uint64_t>& replicated;
    // No writes while there are lost commits that no operator has accepted.
    bool stops_for_losses;
  };

  // `lock` is held for as long as it lives.
  SharedWrite(Parts parts, std::unique_lock<std::recursive_mutex> lock);
  ~SharedWrite() override;

  // To be called first. Once it is begun the turn ends with this write, whatever goes wrong in it. Throws
  // LogUnavailable.
  void take_turn();

  Head head() const override { return in_copy_->head(); }
  std::uint32_t id_counter() const override { return in_copy_->id_counter(); }
  std::uint32_t version_of(const StreamName& stream) const override {
    return parts_.guard.watch([&] { return in_copy_->version_of(stream); });
  }
  Loaded load(const LoadSet& set) const override {
    return parts_.guard.watch([&] { return in_copy_->load(set); });
  }
  std::vector<StoredEvent> read_after(Position after, std::size_t max) const override {
    return parts_.guard.watch([&] { return in_copy_->read_after(after, max); });
  }
  std::optional<Timestamp> time_there() const override { return time_; }
  void append(const Batch& batch) override;
  void commit() override;
  // A commit whose client broke off while it waited for its standby is to be seen all the same. Where that
  // may be of one, this writes synchronously, and so waits for the standby in its stead.
  void confirm() override;

 private:
  // Brings the copy there, and compares.
  void take_in_until(std::uint64_t batch, const Digest& root);
  void take_in_rest(std::uint64_t batch);
  [[noreturn]] void refuse_head(std::uint64_t batch, const Digest& root);
  void commit_copy();
  // Once a commit was not confirmed: returns when it has turned out to be durable. Throws LogUnavailable when
  // it came to nothing, and LogOutcomeUnknown when that cannot be told soon.
  void find_out();
  bool is_durable() const;

  Parts parts_;
  std::unique_lock<std::recursive_mutex> lock_;
  std::unique_ptr<CopyWrite> in_copy_;
  Timestamp time_;
  std::optional<BatchRow> row_;
  std::vector<std::string> leaves_;
  std::vector<std::string> personal_;
  bool is_in_turn_ = false;
};

}  // namespace pixledger::eventstore
