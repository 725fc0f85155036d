#include "tools/operations/customer_eraser.h"

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>
#include <variant>

#include "base/platform/durable_files.h"
#include "base/platform/owner_lock.h"
#include "base/platform/sha256.h"
#include "domain/aggregates/customer.h"
#include "eventstore/codec/codec.h"
#include "eventstore/log/cluster.h"
#include "eventstore/log/stream_events.h"
#include "eventstore/postgres/kept_copy.h"
#include "eventstore/reading/state_reader.h"
#include "projections/generations/erasure.h"
#include "stores/databases/account_database.h"
#include "stores/databases/worker_databases.h"
#include "workers/emails/email_composer.h"
#include "workers/emails/email_message.h"
#include "workers/emails/email_transport.h"

namespace pixledger::tools {
namespace {

bool is_about(const domain::BlocklistEntryAdded& entry, const KnownDetails& known) {
  if (entry.reason && mentioned_in(entry.reason->text(), known)) return true;
  if (!entry.value) return false;
  const auto is_of = [&entry](const domain::CustomerDetails& details) {
    return *entry.value == domain::BlocklistValue(details.document) ||
           domain::mentioned_in(domain::text_of(*entry.value), details) == "e-mail address";
  };
  return std::any_of(known.begin(), known.end(), is_of);
}

void look_through_blocklist(const eventstore::Log& log, const domain::StreamName& stream,
                            const KnownDetails& known, ErasureLeftovers& left) {
  for (const auto& stored : eventstore::StreamEvents(log, stream)) {
    const auto event = eventstore::decode(stored);
    const auto* change = std::get_if<domain::BlocklistEvent>(&event.event);
    if (!change) continue;
    if (const auto* added = std::get_if<domain::BlocklistEntryAdded>(change)) {
      if (is_about(*added, known))
        left.blocklist.push_back(
            {added->id, std::string(added->value ? domain::type_of(*added->value) : ""), false});
      continue;
    }
    for (auto& entry : left.blocklist)
      if (entry.id == std::get<domain::BlocklistEntryRemoved>(*change).id) entry.is_removed = true;
  }
}

// All payments received for the charge.
std::vector<domain::EndToEndId> payments_of(const eventstore::Log& log, const domain::ChargeId& id) {
  const auto charge = eventstore::fold_as<domain::Charge>(log, domain::charge_stream(id));
  std::vector<domain::EndToEndId> payments;
  if (!charge) return payments;
  if (charge->payment) payments.push_back(charge->payment->end_to_end_id);
  for (const auto& payment : charge->added) payments.push_back(payment.end_to_end_id);
  for (const auto* list : {&charge->unapplied, &charge->returned})
    for (const auto& payment : *list) payments.push_back(payment.end_to_end_id);
  return payments;
}

class TextSearch {
 public:
  TextSearch(const KnownDetails& known, ErasureLeftovers& left) : known_(known), left_(left) {}

  void look_through(const domain::RecordedEvent& event) {
    look_at(event.position, "requestId", event.request_id);
    if (const auto* of_payment = std::get_if<domain::PaymentEvent>(&event.event))
      return look_at_payment(event.position, *of_payment);
    if (const auto* of_session = std::get_if<domain::CheckoutEvent>(&event.event))
      return look_at_session(event.position, *of_session);
    if (const auto* of_refusal = std::get_if<domain::RefusalEvent>(&event.event))
      return look_at(event.position, "product", std::get<domain::ChargeRefused>(*of_refusal).product.text());
    const auto* of_charge = std::get_if<domain::ChargeEvent>(&event.event);
    const auto* created = of_charge ? std::get_if<domain::ChargeCreated>(of_charge) : nullptr;
    if (!created) return;
    if (created->external_id) look_at(event.position, "externalId", created->external_id->text());
    look_at(event.position, "product", created->product.text());
  }

 private:
  // Reasons recorded for a payment before it was assigned to the customer's charge.
  void look_at_payment(Position position, const domain::PaymentEvent& event) {
    if (const auto* asked = std::get_if<domain::PaymentReturnRequested>(&event); asked && asked->reason)
      look_at(position, "reason", asked->reason->text());
    if (const auto* failed = std::get_if<domain::PaymentReturnFailed>(&event); failed && failed->reason)
      look_at(position, "reason", failed->reason->text());
  }
  void look_at_session(Position position, const domain::CheckoutEvent& event) {
    const auto* created = std::get_if<domain::CheckoutSessionCreated>(&event);
    if (!created) return;
    if (created->success_url) look_at(position, "successUrl", created->success_url->text());
    if (created->cancel_url) look_at(position, "cancelUrl", created->cancel_url->text());
  }
  void look_at(Position position, std::string_view field, const std::string& text) {
    const auto names = mentioned_in(text, known_);
    if (!names) return;
    ++left_.texts_found;
    if (left_.texts.size() < ErasureLeftovers::kListedMax)
      left_.texts.push_back({position, std::string(field), std::string(*names)});
  }

  const KnownDetails& known_;
  ErasureLeftovers& left_;
};

}  // namespace

KnownDetails details_of(const eventstore::Log& log, const domain::StreamName& stream,
                        const domain::CustomerId& customer) {
  KnownDetails known;
  bool is_theirs = false;
  for (const auto& stored : eventstore::StreamEvents(log, stream)) {
    const auto event = eventstore::decode(stored);
    const auto* change = std::get_if<domain::CustomerEvent>(&event.event);
    if (!change) continue;
    const auto* registered = std::get_if<domain::CustomerRegistered>(change);
    const auto* updated = std::get_if<domain::CustomerUpdated>(change);
    if (registered) is_theirs = registered->id == customer;
    if (!is_theirs || (!registered && !updated)) continue;
    const auto& details = registered ? registered->details : updated->details;
    if (details) known.push_back(*details);
  }
  return known;
}

std::optional<std::string_view> mentioned_in(std::string_view text, const KnownDetails& known) {
  for (const auto& details : known)
    if (const auto part = domain::mentioned_in(text, details)) return part;
  return std::nullopt;
}

namespace {

// Searches the project's blocklists, including removed entries, and the events of the customer's stream,
// charges and rejected creations. Throws LogCorrupt.
ErasureLeftovers find_leftovers(const eventstore::Log& log, const domain::StreamName& stream,
                                const domain::ProjectId& project, const KnownDetails& known,
                                const eventstore::ErasedRecords& records) {
  ErasureLeftovers left;
  for (const auto environment : {domain::Environment::kLive, domain::Environment::kSandbox})
    look_through_blocklist(log, domain::blocklist_stream(project, environment), known, left);
  TextSearch search(known, left);
  const auto look_through_stream = [&](const domain::StreamName& name) {
    for (const auto& stored : eventstore::StreamEvents(log, name))
      search.look_through(eventstore::decode(stored));
  };
  look_through_stream(stream);
  std::set<domain::StreamName> sessions;
  for (const auto& charge : records.charges) {
    look_through_stream(domain::charge_stream(charge));
    if (const auto state = eventstore::fold_as<domain::Charge>(log, domain::charge_stream(charge));
        state && state->checkout_session)
      sessions.insert(domain::checkout_stream(*state->checkout_session));
    for (const auto& payment : payments_of(log, charge)) look_through_stream(domain::payment_stream(payment));
  }
  for (const auto& session : sessions) look_through_stream(session);
  // Rejections have one stream per day, so these events are found by position.
  for (const auto position : records.positions) {
    const auto stored = log.read_after(Position(position.value() - 1), 1);
    if (stored.empty()) continue;
    const auto event = eventstore::decode(stored.front());
    if (event.stream.kind() == domain::StreamKind::kRefusals) search.look_through(event);
  }
  return left;
}

namespace fs = std::filesystem;

constexpr const char* kDirectory = "erasures";

// Ids may contain characters that file names may not.
std::string name_of(const domain::CustomerId& customer) { return to_hex(sha256(customer.text())); }

std::string in_one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

// One line for each item; the last line shows that the list is complete.
std::string text_of(const ErasureLeftovers& left) {
  std::ostringstream text;
  for (const auto& entry : left.blocklist)
    text << "blocklist " << entry.id.text() << ' ' << (entry.is_removed ? "removed" : "present") << ' '
         << entry.type << '\n';
  for (const auto& found : left.texts)
    text << "text " << found.position.value() << ' ' << found.field << ' ' << found.names << '\n';
  text << "texts " << left.texts_found << '\n';
  if (left.has_account) text << "account\n";
  if (!left.accounts_unread.empty()) text << "unread " << in_one_line(left.accounts_unread) << '\n';
  text << "end\n";
  return text.str();
}

// Returns false if the line is invalid.
bool read_line(const std::string& line, ErasureLeftovers& left) {
  std::istringstream words(line);
  std::string kind;
  words >> kind;
  if (kind == "blocklist") {
    std::string id, state, type;
    words >> id >> state;
    std::getline(words >> std::ws, type);
    auto entry = domain::BlocklistEntryId::parse(id);
    if (!entry) return false;
    left.blocklist.push_back({*std::move(entry), type, state == "removed"});
    return true;
  }
  if (kind == "text") {
    std::uint64_t position = 0;
    std::string field, names;
    words >> position >> field;
    std::getline(words >> std::ws, names);
    left.texts.push_back({Position(position), field, names});
    return !names.empty();
  }
  if (kind == "texts") return static_cast<bool>(words >> left.texts_found);
  if (kind == "unread") return static_cast<bool>(std::getline(words >> std::ws, left.accounts_unread));
  left.has_account = left.has_account || kind == "account";
  return kind == "account";
}

}  // namespace

UnfinishedErasure::UnfinishedErasure(const fs::path& data, const domain::CustomerId& customer)
    : file_(fs::absolute(data) / kDirectory / name_of(customer)),
      customer_(customer),
      stays_(fs::exists(file_)) {
  create_durably(file_.parent_path());
  if (!noted()) write_durably(file_, customer.text() + "\n");
}

void UnfinishedErasure::note(const ErasureLeftovers& left) const {
  write_durably(file_, customer_.text() + "\n" + text_of(left));
}

std::optional<ErasureLeftovers> UnfinishedErasure::noted() const {
  std::ifstream file(file_);
  std::string line;
  if (!std::getline(file, line) || line != customer_.text()) return std::nullopt;
  ErasureLeftovers left;
  while (std::getline(file, line) && line != "end")
    if (!read_line(line, left)) return std::nullopt;
  if (line != "end") return std::nullopt;
  return left;
}

UnfinishedErasure::~UnfinishedErasure() {
  std::error_code ignored;
  if (!stays_) fs::remove(file_, ignored);
}

void UnfinishedErasure::finish() {
  fs::remove(file_);
  sync_directory(file_.parent_path());
  stays_ = true;
}

std::vector<std::string> find_unfinished_erasures(const fs::path& data) {
  std::vector<std::string> customers;
  if (!fs::is_directory(data / kDirectory)) return customers;
  for (const auto& entry : fs::directory_iterator(data / kDirectory)) {
    std::ifstream file(entry.path());
    std::string customer;
    if (std::getline(file, customer) && domain::CustomerId::parse(customer)) customers.push_back(customer);
  }
  std::sort(customers.begin(), customers.end());
  return customers;
}

std::vector<std::string> find_abandoned_erasures(const DataDirectory& data) {
  auto customers = find_unfinished_erasures(data.root);
  if (customers.empty() || is_locked(data.erasing_lock())) return {};
  // A running erasure may have finished just before the lock was checked.
  const auto still_there = find_unfinished_erasures(data.root);
  std::erase_if(customers, [&](const auto& customer) {
    return !std::binary_search(still_there.begin(), still_there.end(), customer);
  });
  return customers;
}

namespace {

namespace fs = std::filesystem;

[[noreturn]] void give_up(const std::string& why, const std::string& what_to_do) {
  throw std::runtime_error("the customer counts as erased, but not everything is removed yet: " + why + ". " +
                           what_to_do + ", then run the same command again");
}

// Kept copies are read-only, and may be the only record of commits that PostgreSQL has lost.
void refuse_kept_copies(const fs::path& directory) {
  const auto kept = eventstore::kept_copies(directory);
  if (!kept.empty())
    give_up(kept.front().string() + " is a copy of the ledger that was kept, and may name them",
            "Find out what only it has, and take it elsewhere or remove it");
}

// The reason is permanent. False, with a message on stderr, if it identifies the customer.
bool may_stand(const domain::Label& reason, const KnownDetails& known) {
  const auto part = mentioned_in(reason.text(), known);
  if (!part) return true;
  say_no("the reason gives away the customer's " + std::string(*part) +
         ", present or former, and it is kept for good: say why without it");
  return false;
}

}  // namespace

std::optional<ErasureReport> CustomerEraser::erase(const domain::CustomerId& id,
                                                   const domain::Label& reason) {
  turn_ = OwnerLock::take_within(ledger_.directory.erasing_lock(), patience_);
  const auto stream = ledger_.log->claim_holder(domain::customer_claim(id));
  if (!stream) {
    say_no(domain::Rejection::kCustomerNotFound);
    return std::nullopt;
  }
  const auto customer = eventstore::find_customer(*ledger_.log, id, ledger_.log->head().position);
  if (!customer)
    throw eventstore::LogCorrupt("the stream " + stream->text() + " does not register the customer " +
                                 id.text());
  const auto known = details_of(*ledger_.log, *stream, id);
  if (!may_stand(reason, known)) return std::nullopt;
  mark_.emplace(ledger_.directory.root, id);
  const auto erasure = record(*stream, id, reason);
  if (!erasure) return std::nullopt;
  mark_->keep();
  try {
    return remove_data(*erasure, customer->project, known);
  } catch (const projections::ErasureHeldUp& held_up) {
    give_up(held_up.what(), held_up.what_to_do());
  } catch (const eventstore::LogUnavailable& full) {
    give_up(full.what(),
            ledger_.cluster() ? "See that PostgreSQL answers" : "Give all programs a larger --map-size");
  }
}

ErasureReport CustomerEraser::remove_data(const eventstore::Erasure& erasure,
                                          const domain::ProjectId& project, const KnownDetails& known) {
  auto& log = *ledger_.log;
  const auto records = eventstore::records_erased_by(log, {erasure});
  left_ = mark_->noted();
  if (!left_ && !known.empty()) {
    left_ = find_leftovers(log, erasure.stream, project, known, records);
    look_through_accounts(known, *left_);
    mark_->note(*left_);
  }
  const auto pending = find_pending(erasure);
  log.remove_personal(records.positions);
  if (!pending.erasures.empty())
    log.remove_personal(eventstore::records_erased_by(log, pending.erasures).positions);
  erase_answers(records.charges);
  auto emails = remove_emails(records.charges);
  projections::erase_from_views(ledger_.directory.views(), std::max(erasure.erased, pending.up_to),
                                patience_);
  scrub_ledger();
  wait_for_nodes(pending.up_to, erasure.erased);
  // A worker that was sending an e-mail during the erasure may have written it meanwhile.
  emails += remove_emails(records.charges);
  refuse_kept_copies(ledger_.directory.root);
  const auto other = erasure.stream.in_other_environment();
  const auto namesake = eventstore::fold_as<domain::Customer>(log, other);
  std::optional<domain::CustomerId> other_customer;
  if (namesake && !namesake->erased_at) other_customer = namesake->id;
  return ErasureReport{.customer = erasure.customer,
                       .erased_at = erasure.erased_at,
                       .position = erasure.erased,
                       .records = records.positions.size(),
                       .charges = records.charges.size(),
                       .emails_removed = emails,
                       .other_customer = std::move(other_customer),
                       .other_environment = *other.environment()};
}

// A user of the dashboard may be a customer as well; the account belongs to their role in the store.
void CustomerEraser::look_through_accounts(const KnownDetails& known, ErasureLeftovers& left) const {
  try {
    if (!stores::look_at_accounts(ledger_.directory)) return;
    const auto accounts = stores::open_accounts(ledger_.directory);
    left.has_account = std::any_of(known.begin(), known.end(), [&accounts](const auto& details) {
      return accounts->find_user(details.email).has_value();
    });
  } catch (const std::exception& error) {
    left.accounts_unread = error.what();
  }
}

// On a shared ledger: other pending erasures of this node, which are then done as well.
projections::PendingErasures CustomerEraser::find_pending(const eventstore::Erasure& but) const {
  const auto* const cluster = ledger_.cluster();
  if (!cluster) return {};
  auto pending = projections::pending_erasures(*ledger_.log, *cluster);
  std::erase_if(pending.erasures, [&](const auto& one) { return one.erased == but.erased; });
  return pending;
}

void CustomerEraser::wait_for_nodes(Position done_up_to, Position erased) const {
  auto* const cluster = ledger_.cluster();
  if (!cluster) return;
  cluster->note_erased(done_up_to);
  std::string late;
  const auto all_have_done_it = [&] {
    late.clear();
    bool is_one_at_it = false;
    for (const auto& node : cluster->nodes()) {
      if (node.erased >= erased) continue;
      late += (late.empty() ? "" : ", ") + node.name + (node.is_live ? "" : " (away)");
      is_one_at_it = is_one_at_it || node.is_live;
    }
    return !is_one_at_it;
  };
  projections::wait_until(patience_, all_have_done_it);
  if (!late.empty())
    give_up("these nodes have not done their part: " + late,
            "Start their servers, which do it by themselves, or remove those that are gone for good from the "
            "table node");
}

std::optional<eventstore::Erasure> CustomerEraser::record(const domain::StreamName& stream,
                                                          const domain::CustomerId& id,
                                                          const domain::Label& reason) {
  if (!execute(context_, ledger_, domain::EraseCustomer{stream, id, reason})) return std::nullopt;
  auto erasure = eventstore::find_erasure(*ledger_.log, id);
  if (!erasure) throw eventstore::LogCorrupt("the erasure that was just recorded is not in the ledger");
  return erasure;
}

std::uint64_t CustomerEraser::remove_emails(const std::vector<domain::ChargeId>& charges) const {
  const auto outbox = ledger_.directory.outbox();
  if (!fs::is_directory(outbox)) return 0;
  std::uint64_t removed = 0;
  for (const auto& charge : charges) {
    for (const auto& stored : eventstore::StreamEvents(*ledger_.log, domain::charge_stream(charge))) {
      const auto email = workers::email_of(eventstore::decode(stored), *ledger_.log);
      if (email &&
          workers::remove_from_outbox(outbox, workers::email_name(email->position, email->recorded_at)))
        ++removed;
    }
  }
  // Also what an interrupted erasure has removed.
  sync_directory(outbox);
  return removed;
}

void CustomerEraser::erase_answers(const std::vector<domain::ChargeId>& charges) const {
  const auto database = stores::WorkerDatabases::of(ledger_.directory).deliveries_to_change();
  if (!database) return;
  database->erase_answers(charges);
  if (!projections::wait_until(patience_, [&database] { return database->empty_write_ahead_log(); }))
    give_up("a process has been reading the deliveries all the time", "End what reads them");
}

void CustomerEraser::scrub_ledger() {
  try {
    ledger_.log->scrub(patience_);
  } catch (const eventstore::SnapshotInUse& in_use) {
    give_up(in_use.what(), "End that process");
  }
}

}  // namespace pixledger::tools
