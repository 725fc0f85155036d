#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "eventstore/postgres/node_file.h"

// The file `sharing` of a data directory whose ledger is being shared: written before the database has
// anything, and removed once the directory is a node. A process that dies in between leaves it. While it
// exists no process opens the ledger, since nodes may have one of the same id by then.
namespace pixledger::eventstore {

// Returns the text of a file that says where the ledger is; nullopt: no such file. Throws NodeRefused, with
// `advice` if that helps, if it is a directory or this user may not read it.
std::optional<std::string> read_mark(const std::filesystem::path& file, const std::string& advice);

// Returns the node that the directory is to become, or nullopt. Throws NodeRefused if the file is invalid.
std::optional<NodeFile> read_share_mark(const DataDirectory& directory);
// Durable on return, like its removal.
void write_share_mark(const DataDirectory& directory, const NodeFile& node);
void remove_share_mark(const DataDirectory& directory);

// Why the ledger cannot be opened, and what to do; nullopt: no sharing is under way.
struct UnfinishedShare {
  std::string problem;
  std::string advice;
};
std::optional<UnfinishedShare> find_unfinished_share(const DataDirectory& directory);
// Throws NodeRefused with both texts.
void refuse_unfinished_share(const DataDirectory& directory);

}  // namespace pixledger::eventstore
