#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "eventstore/postgres/node_file.h"

// The file `sharing` of a data directory whose ledger is on its way into a database: written before anything
// is there, and removed once the directory is a node. Whoever dies in between leaves it, and while it is
// there nobody opens the ledger, since others may have one of the same id by then.
namespace pixledger::eventstore {

// The text of a file that says where the ledger is; nullopt: no such file. Throws NodeRefused, with `advice`
// where that helps, when it is no file or this user may not read it.
std::optional<std::string> read_mark(const std::filesystem::path& file, const std::string& advice);

// As which node the directory is to go on; nullopt: none. Throws NodeRefused when the file is not what was
// written.
std::optional<NodeFile> read_share_mark(const DataDirectory& directory);
// Durable on return, as is its end.
void write_share_mark(const DataDirectory& directory, const NodeFile& node);
void remove_share_mark(const DataDirectory& directory);

// Why nobody may open the ledger, and what to do; nullopt: nothing is under way.
struct UnfinishedShare {
  std::string problem;
  std::string advice;
};
std::optional<UnfinishedShare> find_unfinished_share(const DataDirectory& directory);
// Throws NodeRefused, which says both.
void refuse_unfinished_share(const DataDirectory& directory);

}  // namespace pixledger::eventstore
