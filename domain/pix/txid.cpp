#include "domain/pix/txid.h"

#include <algorithm>

#include "base/text/ascii.h"

namespace pixledger::domain {

std::optional<Txid> Txid::parse(std::string_view text) {
  if (text.empty() || text.size() > kSizeMax) return std::nullopt;
  if (!std::all_of(text.begin(), text.end(), is_ascii_alnum)) return std::nullopt;
  return Txid(std::string(text));
}

}  // namespace pixledger::domain
