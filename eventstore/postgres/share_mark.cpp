#include "eventstore/postgres/share_mark.h"

#include <filesystem>
#include <system_error>

#include "base/platform/durable_files.h"

namespace pixledger::eventstore {

namespace fs = std::filesystem;

namespace {

constexpr const char* kWriteAnew =
    "write the file anew: the database's URI (--ledger) on its first line, the node's name on its second";

std::string unreadable(const DataDirectory& directory) {
  return directory.sharing().string() + " does not say into which database the ledger was to go";
}

std::optional<std::string> read_text(const DataDirectory& directory) {
  return read_mark(directory.sharing(), std::string("move it away, and ") + kWriteAnew);
}

}  // namespace

std::optional<std::string> read_mark(const fs::path& file, const std::string& advice) {
  try {
    return read_if_there(file);
  } catch (const std::system_error& error) {
    if (error.code() == std::errc::is_a_directory)
      throw NodeRefused(file.string() + " is a directory and must be a file", advice);
    if (error.code() == std::errc::permission_denied)
      throw NodeRefused("this user may not read " + file.string(),
                        "run this as the owner of the data directory, and see that the file is the owner's "
                        "and has mode 0600");
    throw;
  }
}

std::optional<NodeFile> read_share_mark(const DataDirectory& directory) {
  const auto content = read_text(directory);
  if (!content) return std::nullopt;
  if (auto node = NodeFile::parse(*content)) return node;
  throw NodeRefused(unreadable(directory), kWriteAnew);
}

void write_share_mark(const DataDirectory& directory, const NodeFile& node) {
  write_durably(directory.sharing(), node.text());
}

void remove_share_mark(const DataDirectory& directory) {
  if (fs::remove(directory.sharing())) sync_directory(directory.root);
}

std::optional<UnfinishedShare> find_unfinished_share(const DataDirectory& directory) {
  // While the ledger is being created, the mark exists before it.
  if (!fs::exists(directory.ledger())) return std::nullopt;
  std::optional<NodeFile> node;
  try {
    node = read_share_mark(directory);
  } catch (const NodeRefused& refused) {
    return UnfinishedShare{.problem = refused.problem() + ", so nothing may write the ledger here",
                           .advice = refused.advice()};
  }
  if (!node) return std::nullopt;
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
