#include "tests/crash/ledger_audit.h"

#include <iostream>

#include "domain/aggregates/event.h"
#include "eventstore/codec/codec.h"

namespace pixledger::tests {
namespace {

constexpr std::size_t kEventsPerRead = 4096;
constexpr std::size_t kPrintedMax = 10;

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

void print_some(const char* heading, const std::vector<std::string>& findings) {
  if (findings.empty()) return;
  std::cout << heading << " (" << findings.size() << "):\n";
  for (std::size_t i = 0; i < findings.size() && i < kPrintedMax; ++i)
    std::cout << "  " << findings[i] << '\n';
  std::cout << std::flush;
}

}  // namespace

void LedgerAudit::read(const eventstore::Log& log) {
  const auto head = log.head().position;  // other processes may append meanwhile
  while (true) {
    const auto stored = log.read_after(position_, kEventsPerRead);
    if (stored.empty()) break;
    for (const auto& bytes : stored) take(eventstore::decode(bytes));
  }
  end_request();
  if (position_ < head || position_ > log.head().position)
    say_broken("the head was " + std::to_string(head.value()) + ", the last event is " +
               std::to_string(position_.value()));
}

void LedgerAudit::take(const domain::RecordedEvent& event) {
  if (event.position != position_.next())
    say_broken("position " + std::to_string(event.position.value()) + " follows " +
               std::to_string(position_.value()));
  position_ = event.position;
  auto& version = versions_[event.stream.text()];
  if (event.version != version + 1)
    say_broken(event.stream.text() + " has version " + std::to_string(event.version) + " after " +
               std::to_string(version));
  version = event.version;

  if (event.request_id != request_) {
    end_request();
    request_ = event.request_id;
  }
  request_events_.emplace_back(domain::kind_of(event.event).name);
  if (const auto* customer = std::get_if<domain::CustomerEvent>(&event.event)) {
    if (const auto* registered = std::get_if<domain::CustomerRegistered>(customer))
      customers_.insert(registered->id.text());
  }
  if (const auto* charge = std::get_if<domain::ChargeEvent>(&event.event)) take_charge(event, *charge);
}

void LedgerAudit::take_charge(const domain::RecordedEvent& event, const domain::ChargeEvent& charge) {
  if (const auto* created = std::get_if<domain::ChargeCreated>(&charge)) {
    if (customers_.count(created->customer.text()) == 0)
      say_broken("charge " + created->id.text() + " is for a customer who is not there");
    if (!created->external_id) return;
    const auto& label = created->external_id->text();
    auto& found = by_label_[label];
    if (++found.created > 1)
      say_broken(label + " was created twice: " + found.id + " and " + created->id.text());
    found.id = created->id.text();
    label_of_id_[found.id] = label;
  } else if (std::holds_alternative<domain::ChargePaid>(charge)) {
    const auto label = label_of_id_.find(std::string(event.stream.key()));
    if (label == label_of_id_.end()) return;
    if (++by_label_[label->second].paid > 1) say_broken(label->second + " was paid twice");
  }
}

void LedgerAudit::end_request() {
  const auto request = std::move(request_);
  const auto events = std::move(request_events_);
  request_.clear();
  request_events_.clear();
  if (request.rfind(kLabelPrefix, 0) != 0) return;
  if (!requests_.insert(request).second) say_broken("request " + request + " has events in two places");
  using Events = std::vector<std::string>;
  const bool is_whole = ends_with(request, kPaySuffix)
                            ? events == Events{"ChargePaid"}
                            : events == Events{"ChargeCreated"} ||
                                  events == Events{"CustomerRegistered", "ChargeCreated"} ||
                                  events == Events{"CustomerUpdated", "ChargeCreated"};
  if (is_whole) return;
  std::string what = "request " + request + " left";
  for (const auto& event : events) what += " " + event;
  say_broken(what);
}

void LedgerAudit::compare(const std::vector<AskedCharge>& charges) {
  for (const auto& charge : charges) compare_one(charge);
}

void LedgerAudit::compare_one(const AskedCharge& charge) {
  const auto entry = by_label_.find(charge.label);
  const bool is_there = entry != by_label_.end();
  if (charge.status != 0 && !charge.acknowledged()) {
    if (is_there)
      say_broken(charge.label + " was answered " + std::to_string(charge.status) + " but is there");
    return;
  }
  if (!charge.acknowledged()) return;
  if (!is_there) {
    lost_.push_back(charge.label + " was acknowledged as " + charge.id);
    return;
  }
  const auto& found = entry->second;
  if (found.id != charge.id)
    say_broken(charge.label + " was acknowledged as " + charge.id + ", is " + found.id);
  if (charge.pay_status == 200 && found.paid == 0)
    lost_.push_back(charge.label + " was acknowledged as paid");
  const bool may_be_paid = charge.pay_asked && (charge.pay_status == 200 || charge.pay_status == 0);
  if (found.paid > 0 && !may_be_paid) say_broken(charge.label + " is paid, which nobody was told");
}

void LedgerAudit::require(const std::string& id, bool is_paid) {
  const auto label = label_of_id_.find(id);
  if (label == label_of_id_.end())
    lost_.push_back(id + " was shown");
  else if (is_paid && by_label_.at(label->second).paid == 0)
    lost_.push_back(id + " was shown as paid");
}

void LedgerAudit::print() const {
  print_some("acknowledged and lost", lost_);
  print_some("broken", broken_);
}

}  // namespace pixledger::tests
