#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/platform/sha256.h"
#include "domain/aggregates/checkout_session.h"
#include "domain/aggregates/customer.h"
#include "domain/aggregates/event.h"
#include "eventstore/lmdb/lmdb_environment.h"

namespace pixledger::projections {

constexpr std::string_view kCursorKey = "cursor";  // in the table "meta"

// How far the read models have come; the generation's marker says in which log.
struct ViewCursor {
  Position position;
  Digest leaf_hash{};  // of the event at that position; zeros before the first
};

std::string encode_cursor(const ViewCursor& cursor);
// Throws std::runtime_error when the bytes are none.
ViewCursor decode_cursor(std::string_view bytes);

// That of read models of any set version, which somebody else may own; of those that have none yet, the
// beginning. Nothing is changed. Throws ViewsDamaged, and what the system refuses.
ViewCursor peek_cursor(const std::filesystem::path& directory, eventstore::LmdbOptions options);

// The tables of one generation of the read models, and their keys. A charge or customer has an ordinal: 0, 1,
// 2… in its project, in the order of creation. It is the row number of the project's list model.

struct ViewTables {
  explicit ViewTables(eventstore::LmdbEnvironment& environment);

  MDB_dbi charges;               // charge id → ordinal, folded state
  MDB_dbi customers;             // customer id → ordinal, document token, folded state
  MDB_dbi customers_by_token;    // StreamName::payer() → customer id, unless they have been erased
  MDB_dbi customers_by_email;    // project, folded e-mail, ordinal → nothing
  MDB_dbi charges_in_order;      // project, ordinal → charge id
  MDB_dbi customers_in_order;    // project, ordinal → customer id
  MDB_dbi counts;                // project → how many charges, how many customers
  MDB_dbi fraud_events;          // StreamName::payer(), position → refused creation
  MDB_dbi metadata;              // project, charge's ordinal → what its merchant said of it
  MDB_dbi metadata_by_customer;  // customer id, charge's ordinal → nothing
  MDB_dbi blocked_customers;     // project, customer's ordinal → when the block ends, 0: never
  MDB_dbi unapplied_charges;     // project, charge's ordinal → nothing: it has money to settle
  MDB_dbi unmatched_payments;    // end-to-end id → folded state
  MDB_dbi checkout_sessions;     // project, session id → folded state
  MDB_dbi named_checkouts;       // project, digest of the external id (else of the session's), session id
  MDB_dbi charge_sums;           // project, environment, quarter of an hour → what its charges came to
  MDB_dbi feed;                  // project, chunk of positions → which are its events, and who may see them
  MDB_dbi meta;                  // "cursor", how many payments are unapplied in each environment, how many
                                 // of each connection unmatched and open, how many sessions of each kind,
                                 // how much of each project is unapplied, and unmatched and open
};

// Each with its name in the environment.
struct ViewTable {
  const char* name;
  MDB_dbi ViewTables::*handle;
};
inline constexpr std::array kViewTables{ViewTable{"charges", &ViewTables::charges},
                                        ViewTable{"customers", &ViewTables::customers},
                                        ViewTable{"customers_by_token", &ViewTables::customers_by_token},
                                        ViewTable{"customers_by_email", &ViewTables::customers_by_email},
                                        ViewTable{"charges_in_order", &ViewTables::charges_in_order},
                                        ViewTable{"customers_in_order", &ViewTables::customers_in_order},
                                        ViewTable{"counts", &ViewTables::counts},
                                        ViewTable{"fraud_events", &ViewTables::fraud_events},
                                        ViewTable{"metadata", &ViewTables::metadata},
                                        ViewTable{"metadata_by_customer", &ViewTables::metadata_by_customer},
                                        ViewTable{"blocked_customers", &ViewTables::blocked_customers},
                                        ViewTable{"unapplied_charges", &ViewTables::unapplied_charges},
                                        ViewTable{"unmatched_payments", &ViewTables::unmatched_payments},
                                        ViewTable{"checkout_sessions", &ViewTables::checkout_sessions},
                                        ViewTable{"named_checkouts", &ViewTables::named_checkouts},
                                        ViewTable{"charge_sums", &ViewTables::charge_sums},
                                        ViewTable{"feed", &ViewTables::feed},
                                        ViewTable{"meta", &ViewTables::meta}};
static_assert(sizeof(ViewTables) == kViewTables.size() * sizeof(MDB_dbi), "each is opened and compared");

// Keys of `meta`.
constexpr std::string_view unapplied_key(domain::Environment environment) {
  return environment == domain::Environment::kLive ? "unapplied_payments" : "unapplied_sandbox_payments";
}

// Before the connection's id.
inline constexpr std::string_view kUnmatchedKeys = "unmatched_payments/";

constexpr std::size_t kDocumentTokenBytes = 32;

// Without the ordinal: what the keys of all of a project begin with. Ids never contain a zero byte.
std::string ordinal_key_prefix(const domain::ProjectId& project);
std::string ordinal_key(const domain::ProjectId& project, std::uint32_t ordinal);
// Without the ordinal: what the keys of all customers of that address begin with.
std::string email_key_prefix(const domain::ProjectId& project, const EmailAddress& email);
std::string email_key(const domain::ProjectId& project, const EmailAddress& email, std::uint32_t ordinal);

// Ids are in the order of creation. Without the id: what the keys of all of a project begin with.
std::string checkout_key(const domain::ProjectId& project, std::string_view session);
// Without the session's id: what the keys of all with that external id begin with.
std::string checkout_name_prefix(const domain::ProjectId& project, std::string_view external_id);
// Of `meta`: how many sessions of the project there have that status.
std::string checkout_count_key(const domain::ProjectId& project, domain::Environment environment,
                               domain::CheckoutStatus status);

// Of `meta`: what a project has there of payments to settle, how many or how much.
enum class UnappliedPart : char { kCount = 'n', kCents = 'c' };
std::string unapplied_of_project_key(const domain::ProjectId& project, domain::Environment environment,
                                     UnappliedPart part);

// The values of `charges` and `customers`: what stands before the folded state, and the state.
struct ChargeRow {
  std::uint32_t ordinal;
  std::string_view state;
};
struct CustomerRow {
  std::uint32_t ordinal;
  std::string_view token;
  std::string_view state;
};
std::string charge_row(std::uint32_t ordinal, const std::string& state);
ChargeRow split_charge_row(std::string_view row);
std::string customer_row(std::uint32_t ordinal, std::string_view token, const std::string& state);
CustomerRow split_customer_row(std::string_view row);

// The value of "cursor"; Position() when there is none yet. Throws std::runtime_error when it is damaged.
ViewCursor read_cursor(MDB_txn* transaction, const ViewTables& tables);

// The value of `counts`: what the next ordinals are.
struct ProjectCounts {
  std::uint32_t charges = 0;
  std::uint32_t customers = 0;
};
std::string encode_counts(const ProjectCounts& counts);
ProjectCounts decode_counts(std::string_view bytes);

// Throws std::runtime_error when the customer is not there.
std::uint32_t customer_ordinal(const ViewTables& tables, MDB_txn* transaction, const domain::CustomerId& id);

// Of `meta`: how the keys of unapplied_of_project_key begin.
inline constexpr std::string_view kUnappliedKeys = "unapplied/";

// Of `meta`: what a project has there of payments that fit no charge and are open, how many or how much.
std::string unmatched_of_project_key(const domain::ProjectId& project, domain::Environment environment,
                                     UnappliedPart part);

// Removes a key of a read model, if it is there. Not beside lmdb_put, because the ledger removes nothing.
inline void lmdb_remove(MDB_txn* transaction, MDB_dbi database, std::string_view key) {
  MDB_val key_val = eventstore::to_val(key);
  const int code = mdb_del(transaction, database, &key_val, nullptr);
  if (code != MDB_NOTFOUND) eventstore::check_lmdb(code, "mdb_del");
}

}  // namespace pixledger::projections
