#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/platform/data_directory.h"
#include "base/process/option_rules.h"
#include "eventstore/postgres/ledger_uri.h"

namespace pixledger::eventstore {

// What a node is called, among those of its ledger.
struct NodeName {
  static constexpr std::string_view kRule = kNodeNameRule;
  static std::optional<NodeName> parse(std::string_view text);

  std::string text;
};

// That a data directory is a node's, and where its ledger is: programs on it that are not told use it, so
// that nobody goes on with a copy as if it were a ledger of its own.
struct NodeFile {
  LedgerUri uri;
  NodeName name;

  // As the file has it.
  std::string text() const;
  static std::optional<NodeFile> parse(std::string_view text);
};

// That a directory cannot be opened as a node, or what it remembers is not to be read.
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

// What the directory remembers; nullopt where it is no node's. Throws NodeRefused when the file is not what
// was written.
std::optional<NodeFile> read_node_file(const DataDirectory& directory);
// As which node the directory is opened: the one that was asked for, else the one that it remembers.
std::optional<NodeFile> node_of(const DataDirectory& directory);
// Durable on return; does nothing where the file says so already.
void write_node_file(const DataDirectory& directory, const NodeFile& node);

// Has the directory opened as that node, which it remembers when that has succeeded: what is refused, or was
// misspelt, changes nothing. Throws NodeRefused, naming both, while a program is at work in it as another
// node, and where it cannot be a node: it has no keys, or a ledger of its own, or one that is on its way into
// a database.
void ask_for_node(DataDirectory& directory, const NodeFile& node);
// Throws as that does; nothing is asked for.
void refuse_node(const DataDirectory& directory, const NodeFile& node);

}  // namespace pixledger::eventstore
