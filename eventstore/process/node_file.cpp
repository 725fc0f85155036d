#include "eventstore/process/node_file.h"

#include <algorithm>
#include <stdexcept>

#include "domain/text/ascii.h"
#include "eventstore/platform/durable_files.h"

namespace pixledger::eventstore {
namespace {

constexpr std::size_t kNameMax = 63;

}  // namespace

std::optional<NodeName> NodeName::parse(std::string_view text) {
  const bool good =
      !text.empty() && text.size() <= kNameMax && std::all_of(text.begin(), text.end(), [](char c) {
        return domain::is_ascii_alnum(c) || c == '.' || c == '-' || c == '_';
      });
  if (!good) return std::nullopt;
  return NodeName{std::string(text)};
}

// Two lines: the URI and the name.
std::optional<NodeFile> read_node_file(const DataDirectory& directory) {
  const auto content = read_if_there(directory.node());
  if (!content) return std::nullopt;
  const std::string_view text = *content;
  const auto end = text.find('\n');
  if (end != std::string_view::npos && text.back() == '\n') {
    const auto rest = text.substr(end + 1);
    auto uri = LedgerUri::parse(text.substr(0, end));
    auto name = NodeName::parse(rest.substr(0, rest.empty() ? 0 : rest.size() - 1));
    if (uri && name) return NodeFile{*std::move(uri), *std::move(name)};
  }
  throw std::runtime_error(directory.node().string() +
                           " does not say which ledger this is a node of: give --ledger and --node");
}

void write_node_file(const DataDirectory& directory, const NodeFile& node) {
  write_durably(directory.node(), node.uri.text + "\n" + node.name.text + "\n");
}

}  // namespace pixledger::eventstore
