#include "domain/pix/charge_txid.h"

#include <string>

#include "base/text/ascii.h"

namespace pixledger::domain {
namespace {

constexpr char kCobPrefix = 'p';

}  // namespace

Txid cob_txid(const ChargeId& charge) { return Txid::parse(kCobPrefix + charge.text()).value(); }

std::optional<ChargeId> charge_named_by(const Txid& txid) {
  std::string text;
  for (const char c : txid.text()) text += to_ascii_lower(c);
  if (text.size() == kMintedIdSize + 1 && text.front() == kCobPrefix) text.erase(0, 1);
  if (text.size() != kMintedIdSize) return std::nullopt;
  return ChargeId::parse(text);
}

}  // namespace pixledger::domain
