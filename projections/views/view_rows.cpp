#include "projections/views/view_rows.h"

#include <cassert>

#include "projections/views/charge_metadata.h"
#include "projections/views/row_codec.h"
#include "projections/views/view_tables.h"

namespace pixledger::projections {
namespace {

using eventstore::lmdb_get;
using eventstore::lmdb_put;

// Cheap if the key is near the last one.
void put_near(eventstore::LmdbCursor& cursor, std::string_view key, std::string_view value) {
  auto key_val = eventstore::to_val(key);
  auto value_val = eventstore::to_val(value);
  eventstore::check_lmdb(mdb_cursor_put(cursor.get(), &key_val, &value_val, 0), "mdb_cursor_put");
}

const domain::ChargeCreated& created_by(const domain::ChargeEvent& event) {
  const auto* created = std::get_if<domain::ChargeCreated>(&event);
  if (!created) throw std::runtime_error("a charge's first event is not its creation");
  return *created;
}

std::int64_t open_cents(const domain::UnmatchedPayment& payment) {
  return (payment.amount - domain::gone_back(payment)).value();
}

}  // namespace

ViewRows::ViewRows(const ViewTables& tables, MDB_txn* transaction)
    : tables_(tables), transaction_(transaction) {
  new_charges_.emplace(transaction, tables.charges);
  changed_charges_.emplace(transaction, tables.charges);
  charges_in_order_.emplace(transaction, tables.charges_in_order);
}

void ViewRows::apply(const domain::RecordedEvent& event) {
  event_ = &event;
  std::visit(*this, event.event);
}

void ViewRows::operator()(const domain::ChargeEvent& event) {
  const auto key = event_->stream.key();
  std::optional<domain::Charge> before;
  std::uint32_t ordinal = 0;
  // The first event needs no lookup.
  const bool is_new = event_->version == 1;
  if (!is_new) {
    const auto stored = changed_charges_->find(key);
    if (!stored) throw std::runtime_error("an event of a charge that the read models do not have");
    const auto row = split_charge_row(*stored);
    ordinal = row.ordinal;
    before = decode_charge_row(row.state);
  } else {
    ordinal = counts_of(event_->project).charges++;
    const auto& created = created_by(event);
    const auto customer = customer_ordinal(tables_, transaction_, created.customer);
    changes_.push_back(ChargeListed{event_->project, listed_charge(created, event_->recorded_at, customer)});
    put_near(*charges_in_order_, ordinal_key(event_->project, ordinal), key);
    put_metadata(transaction_, tables_, created, ordinal);
  }
  const auto mark = before ? mark_of(*before) : ChargeMark();
  const auto status_before = before ? before->status : domain::ChargeStatus::kWaitingPayment;
  const bool was_partly_refunded = before && domain::is_partly_refunded(*before);
  const auto after = domain::apply(std::move(before), event, event_->recorded_at);
  assert(after);
  sums_.add(mark, *after, event_->recorded_at, is_new);
  count_unapplied(ordinal, mark.unapplied, *after);
  index_partial_refund(ordinal, was_partly_refunded, *after);
  if (after->status != status_before)
    changes_.push_back(ChargeStatusListed{event_->project, ordinal, after->status});
  put_near(is_new ? *new_charges_ : *changed_charges_, key, charge_row(ordinal, encode_row(*after)));
  list_in_feed(after->environment);
}

void ViewRows::operator()(const domain::CustomerEvent& event) {
  const auto payer = event_->stream.payer();
  std::optional<domain::Customer> before;
  std::uint32_t ordinal = 0;
  const bool is_new = std::holds_alternative<domain::CustomerRegistered>(event);
  if (is_new) {
    ordinal = counts_of(event_->project).customers++;
  } else {
    const auto id = lmdb_get(transaction_, tables_.customers_by_token, payer);
    const auto stored = id ? lmdb_get(transaction_, tables_.customers, *id) : std::nullopt;
    if (!stored) throw std::runtime_error("an event of a customer that the read models do not have");
    const auto row = split_customer_row(*stored);
    ordinal = row.ordinal;
    before = decode_customer_row(row.state);
  }
  const auto details_before = before ? before->details : std::nullopt;
  const bool was_blocked = before && before->block;
  const auto after = domain::apply(std::move(before), event, event_->recorded_at);
  assert(after);
  const auto& id = after->id.text();
  if (is_new) {
    lmdb_put(transaction_, tables_.customers_by_token, payer, id);
    lmdb_put(transaction_, tables_.customers_in_order, ordinal_key(event_->project, ordinal), id);
    changes_.push_back(CustomerListed{.project = event_->project,
                                      .created_at = after->created_at,
                                      .texts = texts_of(after->details),
                                      .environment = after->environment});
  } else if (after->details != details_before) {
    changes_.push_back(CustomerTextsListed{event_->project, ordinal, texts_of(after->details)});
  }
  index_email(event_->project, ordinal, details_before, after->details);
  if (was_blocked || after->block) index_block(ordinal, *after);
  // The document belongs to no customer until it is used again.
  if (after->erased_at) {
    lmdb_remove(transaction_, tables_.customers_by_token, payer);
    remove_metadata(transaction_, tables_, event_->project, after->id);
  }
  const auto token = payer.substr(payer.size() - kDocumentTokenBytes);
  lmdb_put(transaction_, tables_.customers, id, customer_row(ordinal, token, encode_row(*after)));
  list_in_feed(event_->stream.environment());
}

void ViewRows::operator()(const domain::RefusalEvent& event) {
  const auto& refused = std::get<domain::ChargeRefused>(event);
  const auto key = std::string(event_->stream.payer()) + big_endian(event_->position.value());
  lmdb_put(transaction_, tables_.fraud_events, key,
           encode_row(FraudEvent{event_->position, refused.type, refused.amount, refused.product,
                                 event_->recorded_at}));
  list_in_feed(event_->stream.environment());
}

void ViewRows::operator()(const domain::PaymentEvent& event) {
  const auto key = event_->stream.key();
  std::optional<domain::UnmatchedPayment> before;
  if (event_->version > 1) {
    const auto stored = lmdb_get(transaction_, tables_.unmatched_payments, key);
    if (!stored) throw std::runtime_error("an event of a payment that the read models do not have");
    before = decode_unmatched_payment_row(*stored);
  }
  const bool was_open = before && domain::is_open(*before);
  const auto open_before = was_open ? open_cents(*before) : 0;
  const auto after = domain::apply(std::move(before), event, event_->recorded_at);
  assert(after);
  lmdb_put(transaction_, tables_.unmatched_payments, key, encode_row(*after));
  const bool is_open = domain::is_open(*after);
  const auto more = std::int64_t{is_open} - std::int64_t{was_open};
  add_to_meta(std::string(kUnmatchedKeys) + after->connection.text(), more);
  const auto key_of = [&](UnappliedPart part) {
    return unmatched_of_project_key(after->project, after->environment, part);
  };
  add_to_meta(key_of(UnappliedPart::kCount), more);
  add_to_meta(key_of(UnappliedPart::kCents), (is_open ? open_cents(*after) : 0) - open_before);
}

void ViewRows::operator()(const domain::CheckoutEvent& event) {
  const auto key = checkout_key(event_->project, event_->stream.key());
  std::optional<domain::CheckoutSession> before;
  if (event_->version > 1) {
    const auto stored = lmdb_get(transaction_, tables_.checkout_sessions, key);
    if (!stored) throw std::runtime_error("an event of a session that the read models do not have");
    before = decode_checkout_row(*stored);
  }
  const auto status_before = before ? std::optional(before->status) : std::nullopt;
  const auto after = domain::apply(std::move(before), event, event_->recorded_at);
  assert(after);
  lmdb_put(transaction_, tables_.checkout_sessions, key, encode_row(*after));
  const auto& id = after->id.text();
  if (!status_before)
    lmdb_put(transaction_, tables_.named_checkouts,
             checkout_name_prefix(after->project, after->external_id ? after->external_id->text() : id) + id,
             "");
  if (after->status != status_before) {
    if (status_before)
      add_to_meta(checkout_count_key(after->project, after->environment, *status_before), -1);
    add_to_meta(checkout_count_key(after->project, after->environment, after->status), 1);
  }
  list_in_feed(after->environment);
}

void ViewRows::finish() {
  // The commit would free them.
  new_charges_.reset();
  changed_charges_.reset();
  charges_in_order_.reset();
  for (const auto& [project, counts] : counts_)
    lmdb_put(transaction_, tables_.counts, project.text(), encode_counts(counts));
  for (const auto& [key, chunk] : feed_)
    lmdb_put(transaction_, tables_.feed, feed_key(key.first, key.second), chunk.bytes());
  sums_.write(tables_, transaction_);
  for (const auto& [environment, delta] : unapplied_deltas_) add_to_meta(unapplied_key(environment), delta);
}

void ViewRows::add_to_meta(std::string_view key, std::int64_t delta) {
  if (delta == 0) return;
  const auto stored = lmdb_get(transaction_, tables_.meta, key);
  const auto before = stored ? static_cast<std::int64_t>(from_big_endian(*stored)) : 0;
  const auto now = static_cast<std::uint64_t>(before + delta);
  if (now == 0)
    lmdb_remove(transaction_, tables_.meta, key);
  else
    lmdb_put(transaction_, tables_.meta, key, big_endian(now));
}

void ViewRows::list_in_feed(std::optional<domain::Environment> environment) {
  const auto number = FeedChunk::number_of(event_->position);
  if (!chunk_ || chunk_->first.second != number || chunk_->first.first != event_->project) {
    const auto [found, inserted] = feed_.try_emplace({event_->project, number});
    if (inserted) {
      if (const auto stored = lmdb_get(transaction_, tables_.feed, feed_key(event_->project, number)))
        found->second = FeedChunk::from_bytes(*stored);
    }
    chunk_ = &*found;
  }
  chunk_->second.add(event_->position, environment == domain::Environment::kSandbox
                                           ? FeedAudience::kEveryKey
                                           : FeedAudience::kLiveKeys);
}

void ViewRows::index_block(std::uint32_t ordinal, const domain::Customer& customer) {
  const auto key = ordinal_key(customer.project, ordinal);
  if (!customer.block) return lmdb_remove(transaction_, tables_.blocked_customers, key);
  const auto ends = customer.block->expires_at.value_or(Timestamp());
  lmdb_put(transaction_, tables_.blocked_customers, key,
           big_endian(static_cast<std::uint64_t>(ends.millis())));
}

void ViewRows::count_unapplied(std::uint32_t ordinal, const UnappliedSum& before,
                               const domain::Charge& after) {
  const auto now = mark_of(after).unapplied;
  const auto key_of = [&](UnappliedPart part) {
    return unapplied_of_project_key(after.project, after.environment, part);
  };
  add_to_meta(key_of(UnappliedPart::kCents), now.cents - before.cents);
  const auto more = static_cast<std::int64_t>(now.count) - static_cast<std::int64_t>(before.count);
  if (more == 0) return;
  add_to_meta(key_of(UnappliedPart::kCount), more);
  unapplied_deltas_[after.environment] += more;
  if ((before.count == 0) == (now.count == 0)) return;
  const auto key = ordinal_key(event_->project, ordinal);
  if (now.count == 0)
    lmdb_remove(transaction_, tables_.unapplied_charges, key);
  else
    lmdb_put(transaction_, tables_.unapplied_charges, key, "");
}

void ViewRows::index_partial_refund(std::uint32_t ordinal, bool was_partly_refunded,
                                    const domain::Charge& after) {
  const bool is_partly_refunded = domain::is_partly_refunded(after);
  if (is_partly_refunded == was_partly_refunded) return;
  const auto key = ordinal_key(event_->project, ordinal);
  if (is_partly_refunded)
    lmdb_put(transaction_, tables_.partly_refunded, key, "");
  else
    lmdb_remove(transaction_, tables_.partly_refunded, key);
}

ProjectCounts& ViewRows::counts_of(const domain::ProjectId& project) {
  if (!count_ || count_->first != project) {
    const auto [found, inserted] = counts_.try_emplace(project);
    if (inserted) {
      if (const auto stored = lmdb_get(transaction_, tables_.counts, project.text()))
        found->second = decode_counts(*stored);
    }
    count_ = &*found;
  }
  return count_->second;
}

void ViewRows::index_email(const domain::ProjectId& project, std::uint32_t ordinal,
                           const std::optional<domain::CustomerDetails>& before,
                           const std::optional<domain::CustomerDetails>& after) {
  if (before && after && before->email == after->email) return;
  if (before)
    lmdb_remove(transaction_, tables_.customers_by_email, email_key(project, before->email, ordinal));
  if (after)
    lmdb_put(transaction_, tables_.customers_by_email, email_key(project, after->email, ordinal), "");
}

}  // namespace pixledger::projections
