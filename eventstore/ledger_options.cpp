#include "eventstore/ledger_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>

#include "base/text/text.h"

namespace pixledger::eventstore {
namespace {

static_assert(kMapBytes == LmdbOptions{}.map_bytes);

// Checks the remembered URI; one given as an option is checked where it is read.
void refuse_plain_node(const LedgerOptions& options) {
  if (!options.ledger.empty() || options.data.root.empty()) return;
  if (const auto node = read_node_file(options.data))
    options.refuse_plain("the ledger that " + options.data.node().string() + " names", node->uri);
}

// `explains`: whether the command reports by itself that the node is refused.
void open_as_node(LedgerOptions& options, bool explains) {
  if (!explains) refuse_plain_node(options);
  if (options.ledger.empty() && options.node.empty()) return;
  try {
    const auto asked = options.shared_node();
    if (!explains && !options.ledger.empty()) options.refuse_plain("--ledger", asked.uri);
    ask_for_node(options.data, asked);
  } catch (const NodeRefused& refused) {
    if (!explains) throw;
    options.node_refused = refused;
  }
}

}  // namespace

NodeFile LedgerOptions::shared_node() const {
  const auto known = read_node_file(data);
  if (ledger.empty() && !known) throw UsageError("--node needs --ledger");
  auto uri = ledger.empty() ? known->uri : parse_option<LedgerUri>("--ledger", ledger);
  if (node.empty() && !known)
    throw UsageError("--ledger needs --node: a name of this machine's own among those that share the ledger");
  auto name = node.empty() ? known->name : parse_option<NodeName>("--node", node);
  return {std::move(uri), std::move(name)};
}

void LedgerOptions::refuse_plain(std::string_view option, const LedgerUri& uri) const {
  const auto hosts = allow_plain_postgres ? std::vector<std::string>() : uri.plain_hosts();
  if (hosts.empty()) return;
  throw UsageError(
      std::string(option) + " needs sslmode=verify-full, and sslrootcert with the authority's " +
      "certificate, since " + joined(hosts, ", ") + (hosts.size() == 1 ? " is" : " are") +
      " not on this machine: without it others on the way can read and change what is written. " +
      "--allow-plain-postgres goes on without it");
}

LmdbOptions LedgerOptions::lmdb() const {
  LmdbOptions lmdb;
  lmdb.map_bytes = map_bytes;
  return lmdb;
}

int run_on_ledger(CommandLine& line, LedgerOptions& options, int argc, const char* const* argv,
                  ProgramKind kind, const std::function<int()>& body) {
  const auto is_in_use = [&](const std::string& command) {
    return !command.empty() && line.app().got_subcommand(command);
  };
  return run_main(line, options, argc, argv, kind, [&] {
    if (std::none_of(options.share_ledgers.begin(), options.share_ledgers.end(), is_in_use))
      open_as_node(options, is_in_use(options.explains_configuration));
    return body();
  });
}

}  // namespace pixledger::eventstore
