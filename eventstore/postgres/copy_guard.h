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

// Leaves a mark where a process crashes in the pages of an LMDB file: LMDB believes what it reads, and may be
// led anywhere by a page that is not one; and what the disk cannot read is a signal (SIGBUS). For as long as
// it lives; one in a process, further ones do nothing.
class CopyCrash {
 public:
  // `mark`: the file that is left then; `trust`: one that is removed, for which a full disk has room as well.
  // The environment outlives it.
  CopyCrash(const LmdbEnvironment& environment, const std::filesystem::path& mark,
            const std::filesystem::path& trust);
  ~CopyCrash();
  CopyCrash(const CopyCrash&) = delete;
  CopyCrash& operator=(const CopyCrash&) = delete;

 private:
  const LmdbEnvironment& environment_;
  bool is_watching_ = false;
};

// Ends a program whose node's copy of the ledger is not what it must be, so that nobody is answered from it,
// and has the next start fetch another. The only place that decides so while programs are at work: what a
// node does with its copy, it does in watch(). What is left out is the inside of snapshots, for those who go
// through the whole copy and compare all of it, and tell. Thread-safe.
class CopyGuard {
 public:
  // `copy`: as it was opened, and is in use from now on; it outlives this. Throws std::runtime_error where
  // another is being put in its place. `last_words` outlives it.
  CopyGuard(SharedNode node, const LmdbLog& copy, const LastWords& last_words);

  // Runs what reads or writes the copy. Where LMDB finds it damaged, where its bytes are not those that were
  // written, the process ends; where it has another history than PostgreSQL, too, and the copy is kept beside
  // the next one, since PostgreSQL may be what has lost something. It ends as well, and the copy stays, where
  // PostgreSQL's bytes are not those that were written. What a newer release has written is no damage, and
  // passes through: WrittenByNewerRelease.
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
  // Ends the process as well where the copy was removed or replaced, or found damaged by another program of
  // the node. Cheap enough for every second.
  void look() const;

  // This program goes on holding nothing that was removed from the copy before the node counted that many
  // removals.
  void note_scrubbed(std::int64_t scrubs) const;
  // Whether that is so of every program of the node that has the copy open.
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
