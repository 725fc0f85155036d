#include "projections/views/exact_filters.h"

#include <algorithm>
#include <iterator>

#include "base/platform/damage.h"
#include "domain/aggregates/charge_payments.h"
#include "projections/views/charge_metadata.h"
#include "projections/views/ordinal_rows.h"
#include "projections/views/row_codec.h"

namespace pixledger::projections {
namespace {

using Ordinals = std::vector<std::uint32_t>;

// To read a charge is as much work as to pass over so many rows.
constexpr std::size_t kRowsOfOneCharge = 10;

class ExactFilters {
 public:
  ExactFilters(const ChargeQuery& query, const ViewDatabase::Snapshot& snapshot, const ViewTables& tables,
               const domain::ProjectId& project, std::size_t rows_max, const WorkCheck& check)
      : query_(query),
        snapshot_(snapshot),
        tables_(tables),
        project_(project),
        range_(charges_created(*snapshot.list, query.created_from, query.created_to)),
        rows_max_(rows_max),
        check_(check) {}

  ExactMatches find() {
    if (query_.payment) keep(with_payment(*query_.payment));
    if (query_.external_id) keep_or_say("externalId", with_external_id(*query_.external_id));
    if (query_.has_unapplied) keep_or_say("unapplied", with_unapplied());
    if (!query_.metadata.empty()) keep_or_say("metadata", with_metadata());
    return std::move(matches_);
  }

 private:
  MDB_txn* rows() const { return snapshot_.rows->get(); }

  void keep(Ordinals found) {
    std::sort(found.begin(), found.end());
    if (!matches_.charges) {
      matches_.charges = std::move(found);
      return;
    }
    Ordinals both;
    std::set_intersection(found.begin(), found.end(), matches_.charges->begin(), matches_.charges->end(),
                          std::back_inserter(both));
    matches_.charges = std::move(both);
  }
  void keep_or_say(std::string_view filter, std::optional<Ordinals> found) {
    if (!found) matches_.too_wide = filter;
    keep(std::move(found).value_or(Ordinals()));
  }

  Ordinals with_payment(const eventstore::ChargePayment& wanted) const {
    const auto found = charge_named(wanted.charge, snapshot_, tables_, project_);
    if (!found || !domain::has_payment(found->charge, wanted.payment)) return {};
    return {found->ordinal};
  }

  // The list has folded ids: which of them are the very same, the rows tell.
  std::optional<Ordinals> with_external_id(const domain::ExternalId& wanted) const {
    auto found = charges_with_external_id(*snapshot_.list, wanted.text(), check_);
    std::erase_if(found, [&](std::uint32_t ordinal) { return !range_.contains(ordinal); });
    if (found.size() > rows_max_ / kRowsOfOneCharge) return std::nullopt;
    std::size_t rows = 0;
    std::erase_if(found, [&](std::uint32_t ordinal) {
      check_.look_at_row(rows++);
      return external_id_at(ordinal) != wanted;
    });
    const auto id = domain::ChargeId::parse(wanted.text());
    const auto named = id ? charge_named(*id, snapshot_, tables_, project_) : std::nullopt;
    if (named && !named->charge.external_id) found.push_back(named->ordinal);
    return found;
  }
  std::optional<domain::ExternalId> external_id_at(std::uint32_t ordinal) const {
    const auto id = eventstore::lmdb_get(rows(), tables_.charges_in_order, ordinal_key(project_, ordinal));
    const auto row = id ? eventstore::lmdb_get(rows(), tables_.charges, *id) : std::nullopt;
    if (!row) throw ViewsDamaged("the lists have a row that the read models do not have");
    return decode_charge_row(split_charge_row(*row).state).external_id;
  }

  std::optional<Ordinals> with_unapplied() const {
    Ordinals found;
    const auto take = [&](std::uint32_t ordinal, std::string_view) { found.push_back(ordinal); };
    if (!visit_ordinals(rows(), tables_.unapplied_charges, ordinal_key_prefix(project_), range_, rows_max_,
                        check_, take))
      return std::nullopt;
    return found;
  }

  std::optional<Ordinals> with_metadata() const {
    return charges_with_metadata(rows(), tables_, project_, range_, query_.customer, query_.metadata,
                                 rows_max_, check_);
  }

  const ChargeQuery& query_;
  const ViewDatabase::Snapshot& snapshot_;
  const ViewTables& tables_;
  const domain::ProjectId& project_;
  const OrdinalRange range_;
  const std::size_t rows_max_;
  const WorkCheck& check_;
  ExactMatches matches_;
};

}  // namespace

ExactMatches find_exact(const ChargeQuery& query, const ViewDatabase::Snapshot& snapshot,
                        const ViewTables& tables, const domain::ProjectId& project, std::size_t rows_max,
                        const WorkCheck& check) {
  return ExactFilters(query, snapshot, tables, project, rows_max, check).find();
}

std::optional<NamedCharge> charge_named(const domain::ChargeId& id, const ViewDatabase::Snapshot& snapshot,
                                        const ViewTables& tables, const domain::ProjectId& project) {
  const auto stored = eventstore::lmdb_get(snapshot.rows->get(), tables.charges, id.text());
  if (!stored) return std::nullopt;
  const auto row = split_charge_row(*stored);
  auto charge = decode_charge_row(row.state);
  if (charge.project != project) return std::nullopt;
  return NamedCharge{std::move(charge), row.ordinal};
}

}  // namespace pixledger::projections
