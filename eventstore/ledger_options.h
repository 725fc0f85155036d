#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/process/options.h"
#include "eventstore/lmdb/lmdb_environment.h"
#include "eventstore/postgres/ledger_uri.h"
#include "eventstore/postgres/node_file.h"

namespace pixledger::eventstore {

// The options of a program that opens a ledger.
struct LedgerOptions : CommonOptions {
  std::vector<std::string> share_ledgers;   // the commands that create what --ledger names
  std::optional<NodeRefused> node_refused;  // set for the command that explains the configuration

  LmdbOptions lmdb() const;
  // Returns the ledger and name of the data directory's node, from the options and its file `node`. Throws
  // UsageError if neither gives them.
  NodeFile shared_node() const;
  // Throws UsageError if the URI (given by `option`, or remembered by the data directory) contains a host on
  // another machine that would not be authenticated by its certificate.
  void refuse_plain(std::string_view option, const LedgerUri& uri) const;
};

// run_main() for such a program. If the options name a node, `body` opens the data directory as that node.
int run_on_ledger(CommandLine& line, LedgerOptions& options, int argc, const char* const* argv,
                  ProgramKind kind, const std::function<int()>& body);

}  // namespace pixledger::eventstore
