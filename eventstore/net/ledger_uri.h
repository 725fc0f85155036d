#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace pixledger::eventstore {

// Where a shared ledger is: "postgresql://pixledger@db1,db2/pixledger?target_session_attrs=read-write", a
// connection URI of libpq (PostgreSQL 15, section 34.1.1.2). It has a user, a database and no password, which
// stands in a passfile, where no list of processes shows it.
struct LedgerUri {
  static constexpr std::string_view kRule =
      "must be postgresql://USER@HOST[:PORT][,HOST…]/DATABASE[?PARAMETER=VALUE&…], with libpq's parameters "
      "and without a password (which stands in a passfile)";
  // What is wrong with that text.
  static std::string_view rule_for(std::string_view text);

  static std::optional<LedgerUri> parse(std::string_view text);

  std::string text;
  std::string user;
  std::string database;
};

}  // namespace pixledger::eventstore
