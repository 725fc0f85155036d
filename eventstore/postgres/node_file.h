#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/platform/data_directory.h"
#include "base/process/option_rules.h"
#include "eventstore/postgres/ledger_uri.h"

namespace pixledger::eventstore {

// A node's name among the nodes of its ledger.
struct NodeName {
  static constexpr std::string_view kRule = kNodeNameRule;
  static std::optional<NodeName> parse(std::string_view text);

  std::string text;
};

// Says that a data directory is a node's, and where its ledger is. Programs use it if their options do not
// say, so that none treats a copy as a ledger of its own.
struct NodeFile {
  LedgerUri uri;
  NodeName name;

  // The content of the file.
  std::string text() const;
  static std::optional<NodeFile> parse(std::string_view text);
};

// A directory cannot be opened as a node, or its file is invalid.
class NodeRefused : public std::runtime_error {
 public:
  NodeRefused(const std::string& problem, const std::string& advice)
      : std::runtime_error(problem + ": " + advice), problem_(problem), advice_(advice) {}
  const std::string& problem() const { return problem_; }
  const std::string& advice() const { return advice_; }

 private:
  std::string problem_;
  std::string advice_;
};

// Returns what the directory remembers, or nullopt if it is no node's. Throws NodeRefused if the file is
// invalid.
std::optional<NodeFile> read_node_file(const DataDirectory& directory);
// Returns the node to open the directory as: the one that was asked for, else the one that it remembers.
std::optional<NodeFile> node_of(const DataDirectory& directory);
// Durable on return; does nothing if the file already has that content.
void write_node_file(const DataDirectory& directory, const NodeFile& node);

// Has the directory opened as that node. The directory remembers it when that has succeeded: a refused or
// misspelt name changes nothing. Throws NodeRefused, naming both, while a program runs in it as another node.
// Also throws if it cannot be a node: it has no keys, a ledger of its own, or one that is being shared.
void ask_for_node(DataDirectory& directory, const NodeFile& node);
// Throws as ask_for_node() does, and changes nothing.
void refuse_node(const DataDirectory& directory, const NodeFile& node);

}  // namespace pixledger::eventstore
