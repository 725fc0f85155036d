#include "domain/decisions/pix_code_rule.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "domain/pix/br_code.h"

// Field numbers of the EMV specification and Banco Central's manual. 26 to 51 are accounts; an account with
// the Pix GUI in 00 has the key in 01. 54 is the amount, and 62 has the txid in 05.
namespace pixledger::domain {
namespace {

using Fields = std::vector<BrCodeField>;

const BrCodeField* find(const Fields& fields, std::string_view id) {
  const auto found =
      std::find_if(fields.begin(), fields.end(), [id](const auto& one) { return one.id == id; });
  return found == fields.end() ? nullptr : &*found;
}

bool has(const Fields& fields, std::string_view id, std::string_view value) {
  const auto* found = find(fields, id);
  return found && found->value == value;
}

// nullptr if a code has several: payers' banks may choose differently.
const BrCodeField* find_pix_account(const Fields& code) {
  const BrCodeField* account = nullptr;
  for (const auto& one : code) {
    if (one.id < "26" || one.id > "51" || !has(one.fields, "00", kPixGui)) continue;
    if (account) return nullptr;
    account = &one;
  }
  return account;
}

}  // namespace

std::optional<std::string> broken_pix_code_rule(const ChargeCreated& charge,
                                                const std::optional<PixKey>& owner_key) {
  const auto parsed = parse_br_code(charge.pix_code);
  const auto* code = std::get_if<Fields>(&parsed);
  if (!code) return "its Pix code is invalid";
  const bool is_of_owner = charge.through_bank || charge.environment == Environment::kLive;
  const auto key = is_of_owner ? owner_key : sandbox_pix_key();
  const auto* account = find_pix_account(*code);
  if (!account || !key || !has(account->fields, "01", key->text()))
    return "its Pix code pays another key than the project's at that time";
  if (!has(*code, "54", to_decimal(charge.amount))) return "its Pix code asks for another amount";
  const auto* additional = find(*code, "62");
  if (!additional || !has(additional->fields, "05", charge.id.text()))
    return "its Pix code is that of another charge";
  return std::nullopt;
}

}  // namespace pixledger::domain
