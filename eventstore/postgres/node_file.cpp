#include "eventstore/postgres/node_file.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <vector>

#include "base/platform/durable_files.h"
#include "base/platform/owner_lock.h"
#include "base/text/ascii.h"
#include "eventstore/postgres/share_mark.h"

namespace pixledger::eventstore {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kNameMax = 63;
constexpr const char* kWriteNodeAnew =
    "move it away; if this is a node of a shared ledger, name both with --ledger and --node";

// Of the server and of workers; then of all programs that fetch the copy or have it open, such as commands
// and programs that are still starting.
std::vector<fs::path> lock_files(const DataDirectory& directory) {
  std::vector<fs::path> files{directory.views() / "lock"};
  std::error_code none;
  for (const auto& worker : fs::directory_iterator(directory.workers(), none))
    files.push_back(worker.path() / "lock");
  files.push_back(directory.copy_fetching_lock());
  files.push_back(directory.copy_users_lock());
  return files;
}

std::string description_of(const NodeFile& node) { return node.name.text + " of " + node.uri.text; }

// Running programs stay the node that they were started as, and all programs of a directory are one node.
void refuse_beside(const DataDirectory& directory, const NodeFile& known, const NodeFile& asked) {
  for (const auto& file : lock_files(directory))
    if (is_locked(file))
      throw NodeRefused(directory.root.string() + " is at work as the node " + description_of(known) + " (" +
                            OwnerLock::holder_of(file) + "), and the options name " + description_of(asked),
                        "stop its programs first, or leave the options out");
}

}  // namespace

std::optional<NodeName> NodeName::parse(std::string_view text) {
  const bool good = !text.empty() && text.size() <= kNameMax &&
                    std::all_of(text.begin(), text.end(),
                                [](char c) { return is_ascii_alnum(c) || c == '.' || c == '-' || c == '_'; });
  if (!good) return std::nullopt;
  return NodeName{std::string(text)};
}

// Two lines: the URI and the name.
std::string NodeFile::text() const { return uri.text + "\n" + name.text + "\n"; }

std::optional<NodeFile> NodeFile::parse(std::string_view text) {
  const auto end = text.find('\n');
  if (end == std::string_view::npos || text.back() != '\n') return std::nullopt;
  const auto rest = text.substr(end + 1);
  auto uri = LedgerUri::parse(text.substr(0, end));
  auto name = NodeName::parse(rest.substr(0, rest.empty() ? 0 : rest.size() - 1));
  if (!uri || !name) return std::nullopt;
  return NodeFile{*std::move(uri), *std::move(name)};
}

std::optional<NodeFile> read_node_file(const DataDirectory& directory) {
  const auto content = read_mark(directory.node(), kWriteNodeAnew);
  if (!content) return std::nullopt;
  if (auto node = NodeFile::parse(*content)) return node;
  throw NodeRefused(directory.node().string() + " does not say which ledger this is a node of",
                    kWriteNodeAnew);
}

std::optional<NodeFile> node_of(const DataDirectory& directory) {
  return directory.node_asked.empty() ? read_node_file(directory) : NodeFile::parse(directory.node_asked);
}

void write_node_file(const DataDirectory& directory, const NodeFile& node) {
  if (read_if_there(directory.node()) != node.text()) write_durably(directory.node(), node.text());
}

void refuse_node(const DataDirectory& directory, const NodeFile& node) {
  const auto known = read_node_file(directory);
  refuse_unfinished_share(directory);
  if (known && known->text() == node.text()) return;
  if (!fs::exists(directory.keys()))
    throw NodeRefused("there are no keys in " + directory.keys().string(),
                      "copy those of a node that there is already");
  // A ledger of its own may be the only one there is, so it never becomes a copy.
  const bool is_copy = fs::exists(directory.copy_boot());
  if (!known && !is_copy && fs::exists(directory.ledger()))
    throw NodeRefused("there is a ledger of its own in " + directory.root.string(),
                      "give the node another data directory, with the keys alone");
  if (known) refuse_beside(directory, *known, node);
}

void ask_for_node(DataDirectory& directory, const NodeFile& node) {
  refuse_node(directory, node);
  const auto known = read_node_file(directory);
  if (!known || known->text() != node.text()) directory.node_asked = node.text();
}

}  // namespace pixledger::eventstore
