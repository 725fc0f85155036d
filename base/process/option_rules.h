#pragma once

#include <string>
#include <string_view>
#include <vector>

// Rules for options (`check`): each returns "" for a valid value, else the error text. CLI11's own rules
// would show its type names and C++'s largest numbers.
namespace pixledger {

// An unset shell variable must not silently disable a check.
std::string must_not_be_empty(const std::string& value);

// A file to read. It may not exist yet; that is checked when it is opened.
std::string must_not_be_a_directory(const std::string& path);

std::string must_be_a_positive_integer(const std::string& value);
std::string must_be_a_positive_number(const std::string& value);
std::string must_not_be_negative(const std::string& value);  // an integer

// The formats of --ledger and --node; LedgerUri and NodeName parse them.
inline constexpr std::string_view kLedgerUriRule =
    "must be postgresql://USER@HOST[:PORT][,HOST…]/DATABASE[?PARAMETER=VALUE&…], with libpq's parameters "
    "and without a password (which stands in a passfile)";
inline constexpr std::string_view kNodeNameRule =
    "must be 1 to 63 letters, digits, dots, hyphens and underscores";

// The name nearest to a misspelt one, by missing, extra, wrong or swapped letters; "" if none is near.
std::string nearest_name(std::string_view misspelt, const std::vector<std::string>& names);

}  // namespace pixledger
