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

// LogWrite on a shared ledger: one turn among all nodes. Brings the copy to PostgreSQL's state and decides on
// it; PostgreSQL decides whether a commit counts.
class SharedWrite final : public LogWrite {
 public:
  struct Parts {
    LmdbLog& copy;
    const CopyGuard& guard;
    // Used while this write lives, even if the log replaces it.
    std::shared_ptr<PgClient> client;
    // Starts another client that can be trusted, and does not wait for long.
    std::function<std::unique_ptr<PgClient>()> connect;
    std::function<void()> on_unknown;
    // The number of the commit that will be in the copy once PostgreSQL has confirmed it; 0: none.
    std::atomic<std::uint64_t>& own_commit;
    // The number of a commit that a standby is known to have, with all before it.
    std::atomic<std::uint64_t>& replicated;
    // Refuses writes while there are lost commits that no operator has accepted.
    bool stops_for_losses;
  };

  // Holds `lock` while it lives.
  SharedWrite(Parts parts, std::unique_lock<std::recursive_mutex> lock);
  ~SharedWrite() override;

  // Must be called first. The turn ends with this write, also after an error. Throws LogUnavailable.
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
  // A commit whose client broke off while it waited for its standby is visible all the same. If this write
  // may have read such a commit, it writes synchronously, and so waits for the standby.
  void confirm() override;

 private:
  // Brings the copy up to that commit, and compares the root.
  void take_in_until(std::uint64_t batch, const Digest& root);
  void take_in_rest(std::uint64_t batch);
  [[noreturn]] void refuse_head(std::uint64_t batch, const Digest& root);
  void commit_copy();
  // After an unconfirmed commit: returns when it is known to be durable. Throws LogUnavailable if it was not
  // made, and LogOutcomeUnknown if that cannot be found out soon.
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
