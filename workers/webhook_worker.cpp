#include "workers/webhook_worker.h"

#include <array>
#include <cassert>
#include <cstring>
#include <set>
#include <utility>

#include "workers/attempt_outcome.h"

namespace pixledger::workers {
namespace {

using projections::AttemptRecord;
using projections::Delivery;
using projections::DeliveryStatus;
using std::chrono::milliseconds;

// How long a thread waits before it looks whether the worker stops or the clock was set.
constexpr milliseconds kLookAroundEvery{200};
// A question may take longer than the attempt that asked it, and the next attempt asks again.
constexpr std::size_t kResolversPerSender = 2;

projections::LogCursor cursor_of(const projections::DeliveryStore& store) {
  auto cursor = store.cursor();
  assert(cursor.has_value());
  return *std::move(cursor);
}

}  // namespace

WebhookWorker::WebhookWorker(const WebhookWorkerParts& parts, WebhookWorkerOptions options)
    : parts_(parts),
      options_(std::move(options)),
      subscription_(parts.log, cursor_of(parts.store)),
      maker_(parts.log, options_.schedule),
      composer_(parts.log, parts.keyring),
      resolver_(parts.resolver, kResolversPerSender * options_.senders),
      sender_(options_.sender),
      queue_(options_.senders) {
  for (const auto& [channel, from] : parts_.store.channels_with_work()) queue_.wake(channel, from);
  keeper_ = start([this] { keep(); });
  for (unsigned i = 0; i < options_.senders; ++i) senders_.push_back(start([this] { send(); }));
  reader_ = start([this] { read(); });
}

WebhookWorker::~WebhookWorker() { stop(); }

template <class Body>
std::thread WebhookWorker::start(Body body) {
  return std::thread([this, body] {
    try {
      body();
    } catch (...) {
      stopping_ = true;
      queue_.stop();
      const std::lock_guard lock(fault_mutex_);
      if (!fault_) fault_ = std::current_exception();
    }
  });
}

void WebhookWorker::stop() {
  if (!keeper_.joinable()) return;
  stopping_ = true;
  reader_.join();
  queue_.stop();
  for (auto& sender : senders_) sender.join();
  queue_.close();
  keeper_.join();
}

void WebhookWorker::check() const {
  const std::lock_guard lock(fault_mutex_);
  if (fault_) std::rethrow_exception(fault_);
}

// --- the reader: events → deliveries ---

void WebhookWorker::read() {
  while (!stopping_) {
    if (!subscription_.step(*this)) subscription_.wait(kLookAroundEvery);
  }
}

void WebhookWorker::handle(const std::vector<domain::RecordedEvent>& events,
                           const projections::LogCursor& after) {
  std::vector<projections::NewDelivery> deliveries;
  for (const auto& event : events) {
    for (auto& delivery : maker_.deliveries_of(event)) deliveries.push_back(std::move(delivery));
  }
  parts_.store.add(deliveries, after);
  std::set<domain::ChannelId> channels;
  for (const auto& delivery : deliveries) {
    if (channels.insert(delivery.channel).second) queue_.wake(delivery.channel, delivery.first_attempt_at);
  }
}

// --- the keeper: store ↔ queue ---

void WebhookWorker::keep() {
  while (auto work = queue_.wait_for_work(parts_.clock.now(), kLookAroundEvery)) {
    record(work->results);
    for (const auto& wanted : work->refills) refill(wanted);
  }
}

void WebhookWorker::record(const std::vector<AttemptRecord>& results) {
  if (results.empty()) return;
  const auto now = parts_.clock.now();
  parts_.store.record(results, now);
  queue_.forget(results);
  std::set<domain::ChannelId> channels;
  for (const auto& result : results) {
    // It may have released others, or be due again soon: the refill finds out.
    if (channels.insert(result.channel).second) queue_.wake(result.channel, now);
  }
}

void WebhookWorker::refill(const SendQueue::Refill& wanted) {
  const auto now = parts_.clock.now();
  auto due = parts_.store.due(wanted.channel, now, wanted.limit);
  const auto next_due = due.size() < wanted.limit ? parts_.store.next_due(wanted.channel, now) : now;
  const std::string host = due.empty() ? wanted.channel.text() : host_of(due.front());
  queue_.put(wanted.channel, host, std::move(due), next_due);
}

std::string WebhookWorker::host_of(const Delivery& delivery) {
  try {
    const auto url = domain::parse_webhook_url(composer_.channel_of(delivery).url);
    if (const auto* parsed = std::get_if<domain::WebhookUrl>(&url)) return parsed->host_header();
  } catch (const std::runtime_error&) {
    // A channel that cannot be read: its attempts say so.
  }
  return delivery.channel.text();
}

// --- the senders: deliveries → attempts ---

void WebhookWorker::send() {
  while (auto delivery = queue_.take()) {
    const auto started_at = parts_.clock.now();
    const auto result = attempt(*delivery, started_at);
    const auto schedule = options_.schedule ? *options_.schedule : RetrySchedule::of(delivery->environment);
    auto record = judge_attempt(*delivery, result, schedule, started_at, parts_.clock.now(), roll_dice());
    report(*delivery, record);
    queue_.finish(std::move(record), result.http_status != 0);
  }
}

PostResult WebhookWorker::attempt(const Delivery& delivery, domain::Timestamp started_at) {
  // What cannot be read or opened is the trouble of its delivery or channel alone.
  PostResult failed;
  try {
    return try_attempt(delivery, started_at);
  } catch (const eventstore::KeyringError& error) {
    failed.error = "the channel's secret cannot be opened";
    log_failure(delivery, error);
  } catch (const ResolveTimeout& error) {
    failed.error = error.what();
    failed.latency_ms = options_.sender.attempt_timeout.count();
  } catch (const std::runtime_error& error) {
    failed.error = "the webhook cannot be made";
    log_failure(delivery, error);
  }
  return failed;
}

PostResult WebhookWorker::try_attempt(const Delivery& delivery, domain::Timestamp started_at) {
  const auto started = std::chrono::steady_clock::now();
  const ResolverUntil resolver(resolver_, started + options_.sender.attempt_timeout);
  const auto channel = composer_.channel_of(delivery);
  const auto target = eventstore::check_webhook_target(channel.url, options_.targets, resolver);
  if (const auto* reason = std::get_if<domain::TargetRefused>(&target)) {
    PostResult refused;
    refused.error = "target refused: it " + reason->reason;
    return refused;
  }
  const auto post = composer_.compose(delivery, channel, delivery.attempts + 1, started_at);
  return sender_.post(std::get<eventstore::PinnedTarget>(target), post, started);
}

void WebhookWorker::log_failure(const Delivery& delivery, const std::exception& error) {
  parts_.logger.error(error.what(), {{"delivery", delivery.id.text()}, {"channel", delivery.channel.text()}});
}

void WebhookWorker::report(const Delivery& delivery, const AttemptRecord& record) {
  if (record.status != DeliveryStatus::kFailed && record.status != DeliveryStatus::kExhausted) return;
  parts_.logger.warning("a webhook was given up", {{"delivery", delivery.id.text()},
                                                   {"channel", delivery.channel.text()},
                                                   {"status", projections::to_string(record.status)},
                                                   {"attempts", record.attempt.number},
                                                   {"error", record.attempt.error}});
}

std::uint64_t WebhookWorker::roll_dice() {
  std::array<std::byte, sizeof(std::uint64_t)> bytes{};
  parts_.entropy.fill(bytes);
  std::uint64_t dice = 0;
  std::memcpy(&dice, bytes.data(), sizeof dice);
  return dice;
}

}  // namespace pixledger::workers
