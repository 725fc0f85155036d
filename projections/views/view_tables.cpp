#include "projections/views/view_tables.h"

#include "base/platform/faults.h"
#include "base/platform/sha256.h"
#include "base/text/text.h"
#include "eventstore/lmdb/lmdb_damage.h"
#include "eventstore/lmdb/lmdb_environment.h"

namespace pixledger::projections {
namespace {

constexpr std::size_t kOrdinalBytes = 4;

std::string_view checked(std::string_view row, std::size_t bytes_min) {
  if (row.size() < bytes_min) throw DataDamaged("a row of the read models ends too early");
  return row;
}

std::uint32_t ordinal_of(std::string_view row) {
  return static_cast<std::uint32_t>(from_big_endian(row.substr(0, kOrdinalBytes)));
}

std::string sum_key(std::string_view kind, const domain::ProjectId& project, domain::Environment environment,
                    UnappliedPart part) {
  std::string key = std::string(kind) + project.text() + '/';
  key.append(domain::to_string(environment)).push_back('/');
  return key += static_cast<char>(part);
}

constexpr std::size_t kPositionBytes = 8;

}  // namespace

ViewTables::ViewTables(eventstore::LmdbEnvironment& environment) {
  for (const auto& table : kViewTables) this->*table.handle = environment.open_database(table.name);
}

std::string ordinal_key_prefix(const domain::ProjectId& project) { return project.text() + '\0'; }

std::string ordinal_key(const domain::ProjectId& project, std::uint32_t ordinal) {
  std::string key;
  key.reserve(project.text().size() + 1 + kOrdinalBytes);
  key.append(project.text()).push_back('\0');
  return key.append(big_endian32(ordinal));
}

std::string email_key_prefix(const domain::ProjectId& project, const EmailAddress& email) {
  return project.text() + '\0' + fold(email.text()) + '\0';
}

std::string email_key(const domain::ProjectId& project, const EmailAddress& email, std::uint32_t ordinal) {
  return email_key_prefix(project, email) + big_endian32(ordinal);
}

std::string checkout_key(const domain::ProjectId& project, std::string_view session) {
  return (project.text() + '\0').append(session);
}

std::string checkout_name_prefix(const domain::ProjectId& project, std::string_view external_id) {
  // An external id of maximum length is too long for a key.
  const auto digest = sha256(external_id);
  return checkout_key(project, bytes_of(digest));
}

std::string checkout_count_key(const domain::ProjectId& project, domain::Environment environment,
                               domain::CheckoutStatus status) {
  std::string key = "checkout_sessions/" + project.text() + '/';
  key.append(domain::to_string(environment)).push_back('/');
  return key.append(domain::to_string(status));
}

std::string unapplied_of_project_key(const domain::ProjectId& project, domain::Environment environment,
                                     UnappliedPart part) {
  return sum_key(kUnappliedKeys, project, environment, part);
}

std::string unmatched_of_project_key(const domain::ProjectId& project, domain::Environment environment,
                                     UnappliedPart part) {
  return sum_key("unmatched/", project, environment, part);
}

std::string charge_row(std::uint32_t ordinal, const std::string& state) {
  return big_endian32(ordinal) + state;
}

ChargeRow split_charge_row(std::string_view row) {
  checked(row, kOrdinalBytes);
  return {ordinal_of(row), row.substr(kOrdinalBytes)};
}

std::string customer_row(std::uint32_t ordinal, std::string_view token, const std::string& state) {
  return big_endian32(ordinal).append(token).append(state);
}

CustomerRow split_customer_row(std::string_view row) {
  checked(row, kOrdinalBytes + kDocumentTokenBytes);
  return {ordinal_of(row), row.substr(kOrdinalBytes, kDocumentTokenBytes),
          row.substr(kOrdinalBytes + kDocumentTokenBytes)};
}

ViewCursor read_cursor(MDB_txn* transaction, const ViewTables& tables) {
  const auto stored = eventstore::lmdb_get(transaction, tables.meta, kCursorKey);
  return stored ? decode_cursor(*stored) : ViewCursor();
}

std::string encode_counts(const ProjectCounts& counts) {
  return big_endian32(counts.charges) + big_endian32(counts.customers);
}

ProjectCounts decode_counts(std::string_view bytes) {
  checked(bytes, 2 * kOrdinalBytes);
  return {ordinal_of(bytes), ordinal_of(bytes.substr(kOrdinalBytes))};
}

std::uint32_t customer_ordinal(const ViewTables& tables, MDB_txn* transaction, const domain::CustomerId& id) {
  const auto row = eventstore::lmdb_get(transaction, tables.customers, id.text());
  if (!row) throw DataDamaged("a charge of a customer that the read models do not have");
  return split_customer_row(*row).ordinal;
}

std::string encode_cursor(const ViewCursor& cursor) {
  return big_endian(cursor.position.value()) + std::string(bytes_of(cursor.leaf_hash));
}

ViewCursor decode_cursor(std::string_view bytes) {
  if (bytes.size() != kPositionBytes + sizeof(Digest))
    throw DataDamaged("the cursor of the read models is damaged");
  return {Position(from_big_endian(bytes.substr(0, kPositionBytes))),
          digest_from_bytes(bytes.substr(kPositionBytes))};
}

ViewCursor peek_cursor(const std::filesystem::path& directory, eventstore::LmdbOptions options) {
  options.read_only = true;
  return eventstore::read_or_damaged([&] {
    const eventstore::LmdbEnvironment environment(directory, options);
    const eventstore::LmdbRead read(environment);
    MDB_dbi meta = 0;
    const int code = mdb_dbi_open(read.get(), "meta", 0, &meta);
    if (code == MDB_NOTFOUND) return ViewCursor();
    eventstore::check_lmdb(code, "mdb_dbi_open");
    const auto value = eventstore::lmdb_get(read.get(), meta, kCursorKey);
    return value ? decode_cursor(*value) : ViewCursor();
  });
}

}  // namespace pixledger::projections
