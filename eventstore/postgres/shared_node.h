#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/platform/sha256.h"
#include "eventstore/postgres/ledger_uri.h"
#include "eventstore/postgres/node_file.h"
#include "eventstore/postgres/pg_client.h"

namespace pixledger::eventstore {

// What a node does so that nothing is lost and no reply is wrong. Tests switch one off, and must see the
// effect.
struct NodeCare {
  bool commits_synchronously = true;
  bool writes_before_it_reads = true;
};

// A node of a shared ledger, as one of its programs sees it.
struct SharedNode {
  LedgerUri uri;
  std::string name;
  std::filesystem::path directory;  // the node's data directory
  PgTimeouts times{};
  NodeCare care{};
  // The client renames the directory's node in PostgreSQL without waiting, as when it is opened by a new
  // name.
  bool may_rename = false;
};

SharedNode node_in(const DataDirectory& directory, const NodeFile& node);

// Where a node is, so that PostgreSQL distinguishes two nodes with one name, and recognizes a renamed one. It
// has the directory's path. Since machines and containers may have the same paths, it also has a random
// number from the directory's first use, and the identity of the file with that number. A copy of the whole
// directory has the same number in another file. Throws what the file system does.
std::string place_of(const SharedNode& node);

// The part that is compared: all after the path, which is for people and has several spellings. Consists of
// letters, digits, dots and colons.
std::string mark_of_place(const std::string& place);

// The path, for people.
std::string directory_of_place(const std::string& place);

// Throws KeyringError, naming both, if the node's keys are not those that the ledger is bound to. Accepts a
// node without keys, and a ledger bound to none: other checks decide there.
void refuse_other_keys(const SharedNode& node, const std::string& ledger_id,
                       const std::optional<Digest>& keyring);

}  // namespace pixledger::eventstore
