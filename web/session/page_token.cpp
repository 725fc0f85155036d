#include "web/session/page_token.h"

#include <algorithm>

#include "base/text/ascii.h"

namespace pixledger::web {
namespace {

constexpr std::size_t kIdSize = 25;
constexpr std::size_t kCodeSize = 22;

}  // namespace

bool is_page_token(std::string_view text) {
  if (text.size() != kIdSize + 1 + kCodeSize || text[kIdSize] != '.') return false;
  const auto id = text.substr(0, kIdSize), code = text.substr(kIdSize + 1);
  return std::all_of(id.begin(), id.end(), is_ascii_alnum) &&
         std::all_of(code.begin(), code.end(),
                     [](char c) { return is_ascii_alnum(c) || c == '-' || c == '_'; });
}

}  // namespace pixledger::web
