#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/platform/time_zone.h"
#include "base/values/timestamp.h"
#include "domain/pix/payment_ids.h"

// Amounts, times and ids, in the forms in which statements have them.
namespace pixledger::stores {

enum class BadAmount {
  kNone,       // no number at all
  kAmbiguous,  // "1.234": a thousand and more, or one and a bit
};
// Cents of an amount in reais: "1234.5", "1.234,56", "1,234.56", "R$ 1 234,56", "-19,90", "19,90-",
// "(19,90)", "19,90 D". What can be read in two ways is no amount. `says_came`: whether it has a mark for
// that, as "+19,90" and "19,90 C".
std::variant<std::int64_t, BadAmount> parse_amount(std::string_view text, bool* says_came = nullptr);
// Why it is none, for a message.
std::string_view rule_of(BadAmount bad);

struct StatementTime {
  Timestamp moment;
  bool has_time;  // false: a day, and the moment is its first
};
// ISO 8601, with an offset or in the zone; "31/01/2026 09:30"; "31012026";
// "20260131093000.000[-3:BRT]" (OFX).
std::optional<StatementTime> parse_statement_time(std::string_view text, const TimeZone& zone);
inline constexpr std::string_view kStatementTimeRule =
    "must be a time or a day, such as 2026-01-31T12:00:00Z, 31/01/2026 09:00 or 20260131090000[-3:BRT]";

// The end-to-end id in a text, whatever stands around it, in whatever case, and with punctuation within it.
std::optional<domain::EndToEndId> end_to_end_id_in(std::string_view text);
// The payments system's id of a return, "D" and the same: in capitals.
std::string return_id_in(std::string_view text);
// A txid that names a charge of this ledger by its form; empty where there is none.
std::string charge_txid_in(std::string_view text);

// Whether a cell says that there is nothing: "-", "R$ -", "0", "n/a".
bool says_nothing(std::string_view cell);

}  // namespace pixledger::stores
