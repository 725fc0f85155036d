#include "eventstore/postgres/share_mark.h"

#include <filesystem>
#include <stdexcept>

#include "base/platform/durable_files.h"

namespace pixledger::eventstore {

namespace fs = std::filesystem;

namespace {

std::string unreadable(const DataDirectory& directory) {
  return directory.sharing().string() + " does not say into which database the ledger was to go";
}

}  // namespace

std::optional<NodeFile> read_share_mark(const DataDirectory& directory) {
  const auto content = read_if_there(directory.sharing());
  if (!content) return std::nullopt;
  if (auto node = NodeFile::parse(*content)) return node;
  throw std::runtime_error(unreadable(directory));
}

void write_share_mark(const DataDirectory& directory, const NodeFile& node) {
  write_durably(directory.sharing(), node.text());
}

void remove_share_mark(const DataDirectory& directory) {
  if (fs::remove(directory.sharing())) sync_directory(directory.root);
}

std::optional<UnfinishedShare> find_unfinished_share(const DataDirectory& directory) {
  const auto content = read_if_there(directory.sharing());
  // It lies there before the ledger, where that is being made.
  if (!content || !fs::exists(directory.ledger())) return std::nullopt;
  const auto node = NodeFile::parse(*content);
  if (!node)
    return UnfinishedShare{.problem = unreadable(directory) + ", so nothing may write it here",
                           .advice =
                               "write the file anew: the database's URI (--ledger) on its first line, the "
                               "node's name on its second"};
  const auto root = directory.root.string();
  return UnfinishedShare{
      .problem = "the ledger in " + root + " is on its way into the database of " + node->uri.text +
                 ", and may be there already, so nothing may write it here",
      .advice = "run: pixledger migrate --data " + root + " --ledger '" + node->uri.text +
                "', with the --ledger-owner of before, which finishes that; with --abandon it gives it up, "
                "where the database does not have the ledger"};
}

void refuse_unfinished_share(const DataDirectory& directory) {
  if (const auto found = find_unfinished_share(directory)) throw NodeRefused(found->problem, found->advice);
}

}  // namespace pixledger::eventstore
