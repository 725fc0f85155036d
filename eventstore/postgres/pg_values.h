#pragma once

#include <pqxx/binarystring>
#include <pqxx/field>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/platform/sha256.h"

// Bytes as PostgreSQL takes and gives them, as text: bytea in its hex format (PostgreSQL 15, section 8.4.1).
namespace pixledger::eventstore {

// What PostgreSQL has of the ledger is not what was written there. No copy is to blame, nor would another one
// help.
class SharedLedgerDamaged : public std::runtime_error {
 public:
  explicit SharedLedgerDamaged(const std::string& problem)
      : std::runtime_error("the shared ledger in PostgreSQL is damaged: " + problem) {}
};

// As a parameter of a statement.
pqxx::binarystring binary(std::string_view bytes);
std::string bytes_in(const pqxx::field& field);
// Throws SharedLedgerDamaged when it is none.
Digest digest_of(const pqxx::field& field);

// The literal of a text.
std::string literal(std::string_view text);
// The literal of a bytea[].
std::string bytea_array(const std::vector<std::string_view>& elements);
// The literal of a bigint[].
std::string bigint_array(const std::vector<std::uint64_t>& elements);

}  // namespace pixledger::eventstore
