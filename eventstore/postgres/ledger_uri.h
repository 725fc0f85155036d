#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/process/option_rules.h"

namespace pixledger::eventstore {

// Where a shared ledger is: "postgresql://pixledger@db1,db2/pixledger?target_session_attrs=read-write", a
// connection URI of libpq (PostgreSQL 15, section 34.1.1.2). It has a user, a database and no password, which
// stands in a passfile, where no list of processes shows it.
struct LedgerUri {
  static constexpr std::string_view kRule = kLedgerUriRule;
  // What is wrong with that text.
  static std::string_view rule_for(std::string_view text);

  static std::optional<LedgerUri> parse(std::string_view text);

  // An URI for each host, in their order. Of many libpq would try the next when one cannot be reached or is a
  // standby, but not when it refuses the client (PostgreSQL 15, section 34.1.1.3).
  std::vector<std::string> of_each_host() const;

  // Hosts to which a client would be unencrypted or unauthenticated: all hosts on other machines, unless
  // sslmode is verify-full. The mode may come from the URI or from libpq's environment (PGSSLMODE,
  // PGSERVICE).
  std::vector<std::string> plain_hosts() const;

  std::string text;
  std::string user;
  std::string database;
  // Of each host, where the URI has them; one port does for all.
  std::vector<std::string> hosts;
  std::vector<std::string> addresses;
  std::vector<std::string> ports;
  std::string passfile;  // empty: that of the user, or none
  std::string sslmode;   // empty: the URI does not say
  std::string service;   // of a file that may say more than the URI; empty: none is named
};

}  // namespace pixledger::eventstore
