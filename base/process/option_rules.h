#pragma once

#include <string>
#include <string_view>
#include <vector>

// Rules that CLI11 checks for an option (`check`): "" when the value is right, else what it must be. CLI11's
// own name types and C++'s largest numbers.
namespace pixledger {

// What an unset variable leaves of an option must not switch its check off.
std::string must_not_be_empty(const std::string& value);

// Where a file is to be read. Whether there is one is seen when it is opened: it may come later.
std::string must_not_be_a_directory(const std::string& path);

std::string must_be_a_positive_integer(const std::string& value);
std::string must_be_a_positive_number(const std::string& value);
std::string must_not_be_negative(const std::string& value);  // an integer

// What --ledger and --node must be; LedgerUri and NodeName parse them.
inline constexpr std::string_view kLedgerUriRule =
    "must be postgresql://USER@HOST[:PORT][,HOST…]/DATABASE[?PARAMETER=VALUE&…], with libpq's parameters "
    "and without a password (which stands in a passfile)";
inline constexpr std::string_view kNodeNameRule =
    "must be 1 to 63 letters, digits, dots, hyphens and underscores";

// Returns the name that is nearest to a misspelt one, by missing, extra, wrong or swapped letters; "" if none
// is near.
std::string nearest_name(std::string_view misspelt, const std::vector<std::string>& names);

}  // namespace pixledger
