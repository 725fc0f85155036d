#pragma once

#include <filesystem>
#include <string>

#include "eventstore/lmdb/lmdb_environment.h"

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

}  // namespace pixledger::eventstore
