#include "workers/banks/bank_meters.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "stores/banks/provider_repository.h"

namespace pixledger::workers {

using stores::BankCounter;

namespace {

constexpr std::size_t kMisfitsOfKindMax = 10'000;
// No more are logged after these.
constexpr std::size_t kKnownNoveltiesMax = 1'000;
constexpr std::size_t kLeftAsideMax = 100'000;

}  // namespace

BankMeters::BankMeters(std::filesystem::path directory, stores::ProviderRepository& database, Logger& logger,
                       std::shared_ptr<UnsavedBankCounts> unsaved)
    : directory_(std::move(directory)), database_(database), logger_(logger), unsaved_(std::move(unsaved)) {
  stores::write_open_breakers(directory_, {});
}

void BankMeters::when_left_alone(std::function<void(const domain::ConnectionId&)> listener) {
  const std::lock_guard lock(mutex_);
  when_left_alone_ = std::move(listener);
}

void BankMeters::on_certificate(const domain::ConnectionId& connection, std::optional<Timestamp> ends_at) {
  database_.note_certificate(connection, ends_at);
}

void BankMeters::on_client(const domain::ConnectionId& connection) {
  const std::lock_guard lock(mutex_);
  set_open(connection.text(), false);
}

void BankMeters::on_call(const domain::ConnectionId& connection, const BankCallReport& report) {
  const auto& bounds = stores::kDurationBoundsMs;
  const auto* const bound = std::lower_bound(bounds.begin(), bounds.end(), report.duration_ms);
  std::function<void(const domain::ConnectionId&)> listener;
  {
    const std::lock_guard lock(mutex_);
    const auto& id = connection.text();
    for (const auto& what : report.novelties)
      if (novelties_.size() < kKnownNoveltiesMax && novelties_.insert(id + " " + what).second)
        logger_.info("a bank says what this release does not know", {{"connection", id}, {"what", what}});
    count(id, BankCounter::kRequests, std::string(to_string(report.operation)), std::string(report.outcome));
    count(id, BankCounter::kDuration, bound == bounds.end() ? "more" : std::to_string(*bound));
    count(id, BankCounter::kDuration, "sum", {}, report.duration_ms);
    if (report.ahead_ms) unsaved_->ahead_ms.insert_or_assign(connection, *report.ahead_ms);
    if (set_open(id, report.is_open) && report.is_open) listener = when_left_alone_;
  }
  if (listener) listener(connection);
}

void BankMeters::on_callback(const std::string& connection, std::string_view result) {
  const std::lock_guard lock(mutex_);
  count(connection, BankCounter::kCallbacks, std::string(result));
}

bool BankMeters::report_discrepancy(const domain::ConnectionId& connection, std::string_view kind,
                                    std::string_view about) {
  auto misfit = connection.text() + " " + std::string(about);
  const std::lock_guard lock(mutex_);
  auto& of_kind = misfits_[std::string(kind)];
  if (of_kind.contains(misfit)) return false;
  if (of_kind.size() == kMisfitsOfKindMax) of_kind.clear();
  of_kind.insert(std::move(misfit));
  count(connection.text(), BankCounter::kMisfits, std::string(kind));
  return true;
}

void BankMeters::on_left_aside(const domain::ConnectionId& connection, std::string_view payment) {
  const std::lock_guard lock(mutex_);
  if (left_aside_.size() == kLeftAsideMax) left_aside_.clear();
  if (!left_aside_.insert(connection.text() + " " + std::string(payment)).second) return;
  count(connection.text(), BankCounter::kLeftAside, "before_connection");
  if (left_aside_due_.due())
    logger_.info("payments from before a connection are left aside",
                 {{"connection", connection.text()}, {"endToEndId", payment}});
}

void BankMeters::count(const std::string& connection, BankCounter counter, std::string first,
                       std::string second, std::int64_t value) {
  unsaved_->counts[{connection, counter, std::move(first), std::move(second)}] += value;
}

bool BankMeters::set_open(const std::string& connection, bool is_open) {
  const bool changes = is_open ? open_.insert(connection).second : open_.erase(connection) > 0;
  if (!changes) return false;
  if (is_open)
    logger_.warning("a bank does not work and is left alone but for probes", {{"connection", connection}});
  else
    logger_.info("a bank that was left alone is spoken to again", {{"connection", connection}});
  try {
    stores::write_open_breakers(directory_, open_);
  } catch (const std::system_error& fault) {
    // Creations then wait for a failing bank until their deadline.
    logger_.error("which banks are left alone could not be written", {{"fault", fault.what()}});
  }
  return true;
}

void BankMeters::save() {
  UnsavedBankCounts taken;
  {
    const std::lock_guard lock(mutex_);
    std::swap(taken, *unsaved_);
  }
  try {
    write(taken);
  } catch (...) {
    const std::lock_guard lock(mutex_);
    for (const auto& [key, value] : taken.counts) unsaved_->counts[key] += value;
    // Newer measurements win.
    unsaved_->ahead_ms.merge(taken.ahead_ms);
    throw;
  }
}

void BankMeters::write(UnsavedBankCounts& unsaved) {
  std::vector<stores::BankCount> rows;
  rows.reserve(unsaved.counts.size());
  for (const auto& [key, value] : unsaved.counts) {
    const auto& [connection, counter, first, second] = key;
    rows.push_back(
        {.connection = connection, .counter = counter, .first = first, .second = second, .value = value});
  }
  if (!rows.empty()) database_.add(rows);
  unsaved.counts.clear();
  for (const auto& [connection, ahead] : unsaved.ahead_ms) database_.note_clock(connection, ahead);
}

}  // namespace pixledger::workers
