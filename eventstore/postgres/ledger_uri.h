#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/process/option_rules.h"

namespace pixledger::eventstore {

// Where a shared ledger is: "postgresql://pixledger@db1,db2/pixledger?target_session_attrs=read-write", a
// connection URI of libpq (PostgreSQL 15, section 34.1.1.2). It has a user and a database. The password is in
// a passfile, where no list of processes shows it.
struct LedgerUri {
  static constexpr std::string_view kRule = kLedgerUriRule;
  // Returns the rule that the text violates.
  static std::string_view rule_for(std::string_view text);

  static std::optional<LedgerUri> parse(std::string_view text);

  // Returns a URI for each host, in order. With several hosts libpq tries the next one if a host is
  // unreachable or a standby, but not if it rejects the client (PostgreSQL 15, section 34.1.1.3).
  std::vector<std::string> of_each_host() const;

  // Hosts to which a client would be unencrypted or unauthenticated: all hosts on other machines, unless
  // sslmode is verify-full. The mode may come from the URI or from libpq's environment (PGSSLMODE,
  // PGSERVICE).
  std::vector<std::string> plain_hosts() const;

  std::string text;
  std::string user;
  std::string database;
  // For each host, if the URI has them; one port serves for all.
  std::vector<std::string> hosts;
  std::vector<std::string> addresses;
  std::vector<std::string> ports;
  std::string passfile;  // empty: the user's default, or none
  std::string sslmode;   // empty: the URI does not say
  std::string service;   // its file may set more than the URI; empty: none is named
};

}  // namespace pixledger::eventstore
