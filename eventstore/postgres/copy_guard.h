#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <type_traits>

#include "base/platform/last_words.h"
#include "base/platform/owner_lock.h"
#include "eventstore/lmdb/lmdb_environment.h"
#include "eventstore/lmdb/lmdb_log.h"
#include "eventstore/postgres/pg_client.h"
#include "eventstore/postgres/shared_node.h"

namespace pixledger::eventstore {

// Leaves a mark if the process crashes in the pages of an LMDB file. LMDB trusts what it reads, so a damaged
// page may lead it anywhere, and a failed disk read is a signal (SIGBUS). Works while it lives; a second one
// in a process does nothing.
class CopyCrash {
 public:
  // `mark`: the file to create then. `trust`: a file to remove, which works on a full disk as well. The
  // environment must outlive it.
  CopyCrash(const LmdbEnvironment& environment, const std::filesystem::path& mark,
            const std::filesystem::path& trust);
  ~CopyCrash();
  CopyCrash(const CopyCrash&) = delete;
  CopyCrash& operator=(const CopyCrash&) = delete;

 private:
  const LmdbEnvironment& environment_;
  bool is_watching_ = false;
};

// Ends a program whose copy of the ledger is wrong, so that it never answers from it, and has the next start
// fetch another. No other place decides this in running programs: all uses of the copy run in watch(). Only
// reads of snapshots do not: their callers compare the whole copy, and report. Thread-safe.
class CopyGuard {
 public:
  // `copy`: as it was opened; it is in use from now on. Throws std::runtime_error if another copy is being
  // put in its place. `copy` and `last_words` must outlive it.
  CopyGuard(SharedNode node, const LmdbLog& copy, const LastWords& last_words);

  // Runs `work`, which reads or writes the copy. Ends the process if
  // - LMDB finds the copy damaged, or its bytes are not those that were written;
  // - the copy's history differs from PostgreSQL's: it is kept beside the next one, as PostgreSQL may have
  //   lost commits;
  // - PostgreSQL's bytes are not those that were written: the copy stays.
  // WrittenByNewerRelease is no damage, and is passed on.
  template <class Work>
  std::invoke_result_t<const Work&> watch(const Work& work) const {
    try {
      return work();
    } catch (const SharedLedgerDamaged& error) {
      end_for_database(error.what());
    } catch (const CopyAstray& error) {
      end_as_astray(error.what());
    } catch (const LmdbDamaged& error) {
      end(error.what());
    } catch (const LogCorrupt& error) {
      end(error.what());
    }
  }
  // Also ends the process if the copy was removed or replaced, or another program of the node found it
  // damaged. Cheap enough for every second.
  void look() const;

  // Notes that this program no longer holds anything that was removed from the copy before the node counted
  // that many removals.
  void note_scrubbed(std::int64_t scrubs) const;
  // Whether every program of the node that has the copy open has noted that.
  bool have_all_scrubbed(std::int64_t scrubs) const;

 private:
  [[noreturn]] void end(const std::string& problem) const;
  // Has the copy kept when it is replaced.
  [[noreturn]] void end_as_astray(const std::string& problem) const;
  // Leaves no mark.
  [[noreturn]] void end_for_database(const std::string& problem) const;

  const SharedNode node_;
  const LmdbLog& copy_;
  const LastWords& last_words_;
  const std::unique_ptr<UserLock> in_use_;
  const CopyCrash crash_;
};

}  // namespace pixledger::eventstore
