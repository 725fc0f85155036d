#include "base/http/message/without_paths.h"

#include <algorithm>

namespace pixledger::http {
namespace {

// What can stand right before a path, and ends one.
bool is_border(char c) { return std::string_view(" \t\n\"'`()[]<>,;:=").find(c) != std::string_view::npos; }

}  // namespace

std::string without_paths(std::string_view text) {
  std::string shown;
  bool at_border = true;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool begins = at_border && text[i] == '/' && i + 1 < text.size() && !is_border(text[i + 1]);
    at_border = is_border(text[i]);
    if (!begins) {
      shown += text[i];
      continue;
    }
    const auto path = text.substr(i);
    const auto end = std::find_if(path.begin(), path.end(), is_border) - path.begin();
    const auto name = path.substr(0, static_cast<std::size_t>(end));
    shown += "…";
    shown += name.substr(name.rfind('/'));
    i += name.size() - 1;
  }
  return shown;
}

}  // namespace pixledger::http
