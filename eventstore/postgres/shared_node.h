#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/platform/sha256.h"
#include "eventstore/postgres/ledger_uri.h"
#include "eventstore/postgres/node_file.h"
#include "eventstore/postgres/pg_client.h"

namespace pixledger::eventstore {

// What a node does so that nothing is lost, and nobody is told what is not so. Tests leave one out, and must
// see that.
struct NodeCare {
  bool commits_synchronously = true;
  bool writes_before_it_reads = true;
};

// A node of a shared ledger, as one of its programs.
struct SharedNode {
  LedgerUri uri;
  std::string name;
  std::filesystem::path directory;  // the node's data directory
  PgTimeouts times{};
  NodeCare care{};
  // Its client gives the directory this name in place of the one that PostgreSQL knows without waiting, as
  // when it is opened by a name that was asked for.
  bool may_rename = false;
};

SharedNode node_in(const DataDirectory& directory, const NodeFile& node);

// Where a node is, for PostgreSQL to tell two that go by one name apart, and to know one again that was
// renamed: its directory's path and, since machines and containers have the same paths, a number that was
// drawn for the directory when it was first used, and which file of which file system has that. A copy of the
// whole directory has the same number in another file. Throws what the file system does.
std::string place_of(const SharedNode& node);

// What of it is compared: all that follows the path, which is for people and may be written in several ways.
// Of letters, digits, dots and colons.
std::string mark_of_place(const std::string& place);

// The path, for people.
std::string directory_of_place(const std::string& place);

// Throws KeyringError, naming both, when the node's keys are not those that the ledger is bound to. A node
// without keys, or a ledger that is bound to none, is for others to judge.
void refuse_other_keys(const SharedNode& node, const std::string& ledger_id,
                       const std::optional<Digest>& keyring);

}  // namespace pixledger::eventstore
