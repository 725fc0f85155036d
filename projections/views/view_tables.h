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

// Position of the read models; the generation's marker identifies the log.
struct ViewCursor {
  Position position;
  Digest leaf_hash{};  // of the event at that position; zeros before the first
};

std::string encode_cursor(const ViewCursor& cursor);
// Throws std::runtime_error if the bytes are invalid.
ViewCursor decode_cursor(std::string_view bytes);

// Reads the cursor of read models of any set version, even while another process owns them. Returns the start
// of the log if there are none yet. Changes nothing. Throws DataDamaged and system errors.
ViewCursor peek_cursor(const std::filesystem::path& directory, eventstore::LmdbOptions options);

// The tables of one generation of the read models, and their keys. Charges and customers have ordinals 0, 1,
// 2… in their project, in order of creation. An ordinal is the row number in the project's list model.

struct ViewTables {
  explicit ViewTables(eventstore::LmdbEnvironment& environment);

  MDB_dbi charges;               // charge id → ordinal, folded state
  MDB_dbi customers;             // customer id → ordinal, document token, folded state
  MDB_dbi customers_by_token;    // StreamName::payer() → customer id, unless they have been erased
  MDB_dbi customers_by_email;    // project, folded e-mail, ordinal → nothing
  MDB_dbi charges_in_order;      // project, ordinal → charge id
  MDB_dbi customers_in_order;    // project, ordinal → customer id
  MDB_dbi counts;                // project → number of charges, number of customers
  MDB_dbi fraud_events;          // StreamName::payer(), position → rejected creation
  MDB_dbi metadata;              // project, charge's ordinal → the merchant's metadata
  MDB_dbi metadata_by_customer;  // customer id, charge's ordinal → nothing
  MDB_dbi blocked_customers;     // project, customer's ordinal → end of the block, 0: never
  MDB_dbi unapplied_charges;     // project, charge's ordinal → nothing: a charge with money to settle
  MDB_dbi partly_refunded;       // project, charge's ordinal → nothing
  MDB_dbi unmatched_payments;    // end-to-end id → folded state
  MDB_dbi checkout_sessions;     // project, session id → folded state
  MDB_dbi named_checkouts;       // project, digest of the external id (else of the session's), session id
  MDB_dbi charge_sums;           // project, environment, quarter of an hour → sums of its charges
  MDB_dbi feed;                  // project, chunk of positions → its events, and who may see them
  MDB_dbi meta;                  // "cursor"; counts: unapplied payments per environment, open unmatched ones
                                 // per connection, sessions per status; count and sum per project: unapplied,
                                 // open unmatched
};

// A table and its name in the environment.
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
                                        ViewTable{"partly_refunded", &ViewTables::partly_refunded},
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

// Followed by the connection's id.
inline constexpr std::string_view kUnmatchedKeys = "unmatched_payments/";

constexpr std::size_t kDocumentTokenBytes = 32;

// Prefix of the keys of a project. Ids never contain a zero byte.
std::string ordinal_key_prefix(const domain::ProjectId& project);
std::string ordinal_key(const domain::ProjectId& project, std::uint32_t ordinal);
// Prefix of the keys of all customers with that address.
std::string email_key_prefix(const domain::ProjectId& project, const EmailAddress& email);
std::string email_key(const domain::ProjectId& project, const EmailAddress& email, std::uint32_t ordinal);

// Ids are in order of creation. With an empty id: the prefix of a project's keys.
std::string checkout_key(const domain::ProjectId& project, std::string_view session);
// Prefix of the keys of all sessions with that external id.
std::string checkout_name_prefix(const domain::ProjectId& project, std::string_view external_id);
// Key in `meta`: the number of a project's sessions with that status.
std::string checkout_count_key(const domain::ProjectId& project, domain::Environment environment,
                               domain::CheckoutStatus status);

// Key in `meta`: number or sum of a project's payments to settle.
enum class UnappliedPart : char { kCount = 'n', kCents = 'c' };
std::string unapplied_of_project_key(const domain::ProjectId& project, domain::Environment environment,
                                     UnappliedPart part);

// The values of `charges` and `customers`: a header, then the folded state.
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

// The value of "cursor", or Position() if it is not set yet. Throws std::runtime_error if it is damaged.
ViewCursor read_cursor(MDB_txn* transaction, const ViewTables& tables);

// The value of `counts`: the next ordinals.
struct ProjectCounts {
  std::uint32_t charges = 0;
  std::uint32_t customers = 0;
};
std::string encode_counts(const ProjectCounts& counts);
ProjectCounts decode_counts(std::string_view bytes);

// Throws std::runtime_error if the customer does not exist.
std::uint32_t customer_ordinal(const ViewTables& tables, MDB_txn* transaction, const domain::CustomerId& id);

// In `meta`: the prefix of unapplied_of_project_key's keys.
inline constexpr std::string_view kUnappliedKeys = "unapplied/";

// Key in `meta`: number or sum of a project's open payments that match no charge.
std::string unmatched_of_project_key(const domain::ProjectId& project, domain::Environment environment,
                                     UnappliedPart part);

// Removes a key of a read model, if present. Not next to lmdb_put, because the ledger removes nothing.
inline void lmdb_remove(MDB_txn* transaction, MDB_dbi database, std::string_view key) {
  MDB_val key_val = eventstore::to_val(key);
  const int code = mdb_del(transaction, database, &key_val, nullptr);
  if (code != MDB_NOTFOUND) eventstore::check_lmdb(code, "mdb_del");
}

}  // namespace pixledger::projections
