#pragma once

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <functional>

#include "projections/generations/generation.h"
#include "tests/support/ledgers/closed_store.h"
#include "tests/support/ledgers/ledger_with_charges.h"
#include "tests/support/servers/pixledger_command.h"

namespace pixledger::tests {

// A ledger of 8 events: a project and two keys, a customer with a paid and an unpaid charge, and another
// project's worth of nothing.
struct VerifyFixture {
  PixledgerCommand pixledger;

  VerifyFixture() {
    const auto project = domain::ProjectId::parse(json_at(pixledger.create_project(), "/projectId")).value();
    LedgerWithCharges ledger(pixledger.data());
    ledger.pay(project, ledger.create_charge(project));
    ledger.create_charge(project);
  }

  // Changes stored bytes behind the ledger's back.
  void tamper(const char* database, const std::function<void(MDB_txn*, MDB_dbi)>& change) const {
    change_closed_ledger(pixledger.data() / "ledger",
                         [&](MDB_txn* transaction, const DatabaseByName& databases) {
                           change(transaction, databases(database));
                         });
  }

  void flip_byte(const char* database, const std::string& key, std::size_t byte) const {
    change_closed_value(pixledger.data() / "ledger", one_gigabyte(), database, key, [&](std::string& value) {
      REQUIRE(byte < value.size());
      value[byte] = static_cast<char>(value[byte] ^ 1);
    });
  }

  // The path of a file with this content.
  std::string keep(const std::string& name, const std::string& content) const {
    const auto path = pixledger.directory() / name;
    std::ofstream(path, std::ios::binary) << content;
    return path.string();
  }

  void remove(const char* database, const std::string& key) const {
    tamper(database, [&](MDB_txn* transaction, MDB_dbi opened) {
      MDB_val key_val = eventstore::to_val(key);
      eventstore::check_lmdb(mdb_del(transaction, opened, &key_val, nullptr), "mdb_del");
    });
  }

  std::string first_key(const char* database, const std::string& prefix) const {
    std::string found;
    tamper(database, [&](MDB_txn* transaction, MDB_dbi opened) {
      eventstore::LmdbCursor cursor(transaction, opened);
      REQUIRE(cursor.seek(prefix));
      found = cursor.key();
    });
    return found;
  }

  std::string last_key(const char* database) const {
    std::string found;
    tamper(database, [&](MDB_txn* transaction, MDB_dbi opened) {
      eventstore::LmdbCursor cursor(transaction, opened);
      REQUIRE(cursor.move(MDB_LAST));
      found = cursor.key();
    });
    return found;
  }

  // Read models of the ledger as it is; returns their directory.
  std::filesystem::path build_views() const {
    LedgerWithCharges ledger(pixledger.data());
    return projections::Generation::open_or_build(pixledger.data() / "views", ledger.log(), one_gigabyte())
        ->directory();
  }

  // The problem that `verify` finds.
  std::string bad_part(std::vector<std::string> more = {}) const {
    std::vector<std::string> arguments{"verify", "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const auto result = pixledger.run(arguments);
    INFO(result.out << result.err);
    REQUIRE(result.code == 1);
    REQUIRE(json_at(result.out, "/consistent") == "false");
    REQUIRE_FALSE(json_at(result.out, "/advice").empty());
    return json_at(result.out, "/part");
  }

  // The position that `verify` finds, or 0.
  std::string first_bad_position(std::vector<std::string> more = {}) const {
    std::vector<std::string> arguments{"verify", "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const auto result = pixledger.run(arguments);
    INFO(result.out << result.err);
    REQUIRE(json_at(result.out, "/consistent") == (result.code == 0 ? "true" : "false"));
    REQUIRE(result.code <= 1);
    return result.code == 0 ? "0" : json_at(result.out, "/position");
  }
};

}  // namespace pixledger::tests
