#include "projections/views/list_loader.h"

#include <array>
#include <deque>
#include <fstream>
#include <map>
#include <optional>
#include <string_view>

#include "base/platform/faults.h"
#include "eventstore/codec/codec.h"
#include "projections/list/project_lists.h"
#include "projections/views/row_codec.h"

namespace pixledger::projections {
namespace {

constexpr std::size_t kEventsPerRead = 4096;
constexpr std::size_t kRowsPerApply = 4096;
constexpr const char* kRowMissing = "the read models order a row that they do not have";

domain::ProjectId project_in(std::string_view ordinal_key) {
  auto project = domain::ProjectId::parse(ordinal_key.substr(0, ordinal_key.find('\0')));
  if (!project) throw DataDamaged("the read models contain an invalid row");
  return *std::move(project);
}

std::string_view row_of(const ViewRead& rows, MDB_dbi table, std::string_view id) {
  const auto row = eventstore::lmdb_get(rows.transaction, table, id);
  if (!row) throw DataDamaged(kRowMissing);
  return *row;
}

domain::ChargeStatus status_of(const ViewRead& rows, std::string_view charge) {
  return decode_charge_row(split_charge_row(row_of(rows, rows.tables.charges, charge)).state).status;
}

// The rows' content, project by project and in order.
class FromRows {
 public:
  FromRows(const ViewRead& rows, ProjectLists& lists) : rows_(rows), lists_(lists) {}

  void add_customers() {
    ListChanges changes;
    eventstore::LmdbCursor order(rows_.transaction, rows_.tables.customers_in_order);
    for (bool found = order.move(MDB_FIRST); found; found = order.move(MDB_NEXT)) {
      const auto row = split_customer_row(row_of(rows_, rows_.tables.customers, order.value()));
      const auto customer = decode_customer_row(row.state);
      changes.push_back(CustomerListed{.project = project_in(order.key()),
                                       .created_at = customer.created_at,
                                       .texts = texts_of(customer.details),
                                       .environment = customer.environment});
      if (changes.size() == kRowsPerApply) apply(changes);
    }
    apply(changes);
  }

  void add_charges() {
    ListChanges changes;
    eventstore::LmdbCursor order(rows_.transaction, rows_.tables.charges_in_order);
    // A cursor, because neighbours' rows are close together.
    eventstore::LmdbCursor charges(rows_.transaction, rows_.tables.charges);
    for (bool found = order.move(MDB_FIRST); found; found = order.move(MDB_NEXT)) {
      const auto stored = charges.find(order.value());
      if (!stored) throw DataDamaged(kRowMissing);
      const auto row = split_charge_row(*stored);
      charges_.push_back(decode_charge_row(row.state));
      add_charge(project_in(order.key()), row.ordinal, charges_.back(), changes);
      if (charges_.size() == kRowsPerApply) apply(changes);
    }
    apply(changes);
  }

 private:
  void apply(ListChanges& changes) {
    lists_.apply(changes);
    changes.clear();
    charges_.clear();
  }

  void add_charge(const domain::ProjectId& project, std::uint32_t ordinal, const domain::Charge& charge,
                  ListChanges& changes) {
    const auto customer = customer_ordinal(rows_.tables, rows_.transaction, charge.customer);
    changes.push_back(ChargeListed{project, listed_charge(charge, charge.created_at, customer)});
    if (charge.status != domain::ChargeStatus::kWaitingPayment)
      changes.push_back(ChargeStatusListed{project, ordinal, charge.status});
  }

  const ViewRead& rows_;
  ProjectLists& lists_;
  std::deque<domain::Charge> charges_;  // the changes refer to these
};

// The events' changes, with states from the rows. The rows are ahead, so each change goes to the final state.
class FromEvents {
 public:
  // `lists` receive the changes.
  FromEvents(const ViewRead& rows, const ProjectLists& lists, ListChanges& changes)
      : rows_(rows), lists_(lists), changes_(changes) {}

  void apply(const domain::RecordedEvent& event) {
    event_ = &event;
    std::visit(*this, event.event);
  }

  void operator()(const domain::ChargeEvent& event) {
    const auto key = event_->stream.key();
    if (const auto* created = std::get_if<domain::ChargeCreated>(&event)) {
      const auto customer = customer_ordinal(rows_.tables, rows_.transaction, created->customer);
      changes_.push_back(
          ChargeListed{event_->project, listed_charge(*created, event_->recorded_at, customer)});
      return;
    }
    const auto ordinal = split_charge_row(row_of(rows_, rows_.tables.charges, key)).ordinal;
    changes_.push_back(ChargeStatusListed{event_->project, ordinal, status_of(rows_, key)});
  }

  void operator()(const domain::CustomerEvent& event) {
    if (const auto* registered = std::get_if<domain::CustomerRegistered>(&event)) {
      changes_.push_back(
          CustomerListed{.project = event_->project,
                         .created_at = event_->recorded_at,
                         .texts = texts_in(row_of(rows_, rows_.tables.customers, registered->id.text())),
                         .environment = registered->environment});
      ++listed_of(event_->project);
      return;
    }
    if (const auto* erased = std::get_if<domain::CustomerErased>(&event)) {
      change_texts(erased->id.text());
      return;
    }
    // If the customer has been erased since, the erasure's event follows. The rows may already have the
    // document's next customer; that one is listed with its final texts.
    const auto payer = event_->stream.payer();
    if (const auto id = eventstore::lmdb_get(rows_.transaction, rows_.tables.customers_by_token, payer))
      change_texts(*id);
  }

  void operator()(const domain::ProjectEvent&) const {}
  void operator()(const domain::ApiKeyEvent&) const {}
  void operator()(const domain::ChannelEvent&) const {}
  void operator()(const domain::BlocklistEvent&) const {}
  void operator()(const domain::RefusalEvent&) const {}
  void operator()(const domain::BankConnectionEvent&) const {}
  void operator()(const domain::PaymentEvent&) const {}
  void operator()(const domain::CheckoutEvent&) const {}
  void operator()(const domain::TeamEvent&) const {}

 private:
  static SearchedTexts texts_in(std::string_view row) {
    return texts_of(decode_customer_row(split_customer_row(row).state).details);
  }

  void change_texts(std::string_view customer) {
    const auto row = row_of(rows_, rows_.tables.customers, customer);
    const auto ordinal = split_customer_row(row).ordinal;
    if (ordinal < listed_of(event_->project))
      changes_.push_back(CustomerTextsListed{event_->project, ordinal, texts_in(row)});
  }

  // The number of customers in the list after the changes so far.
  std::uint32_t& listed_of(const domain::ProjectId& project) {
    const auto [found, inserted] = listed_.try_emplace(project, 0);
    if (inserted) found->second = lists_.version(project)->customer_count();
    return found->second;
  }

  const ViewRead& rows_;
  const ProjectLists& lists_;
  std::map<domain::ProjectId, std::uint32_t> listed_;
  ListChanges& changes_;
  const domain::RecordedEvent* event_ = nullptr;
};

void catch_up(ProjectLists& lists, const ViewRead& rows, Position position, Position end,
              const eventstore::Log& log) {
  while (position < end) {
    std::vector<domain::RecordedEvent> events;
    for (const auto& stored : log.read_after(position, kEventsPerRead)) {
      if (stored.position <= end) events.push_back(eventstore::decode(stored));
    }
    if (events.empty()) throw DataDamaged("the ledger ends before the read models do");
    ListChanges changes;
    FromEvents from_events(rows, lists, changes);
    for (const auto& event : events) from_events.apply(event);
    lists.apply(changes);
    position = events.back().position;
  }
}

// Nullopt if no snapshot belongs to these rows and this log.
std::optional<ProjectLists> from_snapshot(const std::filesystem::path& file, const ViewRead& rows,
                                          const ViewCursor& cursor, const eventstore::Log& log) {
  auto snapshot = read_lists(file);
  if (!snapshot) return std::nullopt;
  ViewCursor as_of;
  try {
    as_of = decode_cursor(snapshot->stamp);
  } catch (const DataDamaged&) {
    return std::nullopt;
  }
  if (as_of.position > cursor.position) return std::nullopt;
  if (as_of.position != Position() && log.leaf_hash(as_of.position) != as_of.leaf_hash) return std::nullopt;
  ProjectLists lists(std::move(snapshot->lists));
  catch_up(lists, rows, as_of.position, cursor.position, log);
  return lists;
}

namespace fs = std::filesystem;

using Versions = std::map<domain::ProjectId, std::shared_ptr<const ListVersion>>;

Versions by_project(const std::vector<ProjectListVersion>& lists) {
  Versions versions;
  for (const auto& [project, version] : lists) versions.emplace(project, version);
  return versions;
}

bool have_same_bytes(const fs::path& one, const fs::path& other) {
  std::ifstream these(one, std::ios::binary);
  std::ifstream those(other, std::ios::binary);
  std::array<char, 1 << 16> some, others;
  const auto read = [](std::ifstream& in, auto& buffer) {
    in.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    return std::string_view(buffer.data(), static_cast<std::size_t>(in.gcount()));
  };
  while (true) {
    const auto here = read(these, some);
    if (here != read(those, others)) return false;
    if (here.empty()) return true;
  }
}

// Compares snapshots of one list each. Two lists of the same rows are saved as the same bytes.
bool is_same(const ProjectListVersion& saved, const ProjectListVersion& made, const fs::path& scratch) {
  write_lists(scratch / "saved", "", {&saved, 1});
  write_lists(scratch / "made", "", {&made, 1});
  return have_same_bytes(scratch / "saved", scratch / "made");
}

}  // namespace

ProjectLists load_lists(const std::filesystem::path& file, const ViewRead& rows, const ViewCursor& cursor,
                        const eventstore::Log& log) {
  if (auto lists = from_snapshot(file, rows, cursor, log)) return *std::move(lists);
  ProjectLists lists;
  FromRows from_rows(rows, lists);
  from_rows.add_customers();
  from_rows.add_charges();
  return lists;
}

std::optional<std::string> difference_between_lists(const std::vector<ProjectListVersion>& some,
                                                    const std::vector<ProjectListVersion>& others,
                                                    const fs::path& scratch) {
  const auto these = by_project(some);
  const auto those = by_project(others);
  if (these.size() != those.size()) return "they are of other projects";
  for (const auto& [project, version] : these) {
    const auto found = those.find(project);
    if (found == those.end() || !is_same({project, version}, {project, found->second}, scratch))
      return "project " + project.text();
  }
  return std::nullopt;
}

}  // namespace pixledger::projections
