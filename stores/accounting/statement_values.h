#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/platform/time_zone.h"
#include "base/values/timestamp.h"
#include "domain/pix/payment_ids.h"

// Parses amounts, times and ids in the forms that statements use.
namespace pixledger::stores {

enum class BadAmount {
  kNone,       // no number at all
  kAmbiguous,  // "1.234": a thousand and more, or one and a bit
};
// Parses an amount in reais to cents: "1234.5", "1.234,56", "1,234.56", "R$ 1 234,56", "-19,90", "19,90-",
// "(19,90)", "19,90 D". An ambiguous text is no amount. Sets `says_came` if it has a mark for a credit, as
// "+19,90" and "19,90 C".
std::variant<std::int64_t, BadAmount> parse_amount(std::string_view text, bool* says_came = nullptr);
// Returns what is wrong with it, for a message.
std::string_view rule_of(BadAmount bad);

struct StatementTime {
  Timestamp moment;
  bool has_time;  // false: a day, and the moment is its begin
};
// ISO 8601, with an offset or in the zone; "31/01/2026 09:30"; "31012026";
// "20260131093000.000[-3:BRT]" (OFX).
std::optional<StatementTime> parse_statement_time(std::string_view text, const TimeZone& zone);
inline constexpr std::string_view kStatementTimeRule =
    "must be a time or a day, such as 2026-01-31T12:00:00Z, 31/01/2026 09:00 or 20260131090000[-3:BRT]";

// Finds the end-to-end id in a text, with any text around it, in any case, and with punctuation within it.
std::optional<domain::EndToEndId> end_to_end_id_in(std::string_view text);
// Finds the payments system's id of a return, "D" and the same: in capitals.
std::string return_id_in(std::string_view text);
// Returns a txid that names a charge of this ledger by its form; empty if the text has no such txid.
std::string charge_txid_in(std::string_view text);

// Returns whether a currency's name or code is that of the real: "BRL", "R$", "986"; or it names none.
bool is_real(std::string_view currency);

// Returns whether a cell means "nothing": "-", "R$ -", "0", "n/a".
bool says_nothing(std::string_view cell);

}  // namespace pixledger::stores
