#include "workers/webhooks/webhook_worker.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "eventstore/codec/codec.h"
#include "stores/deliveries/announcements.h"

namespace pixledger::workers {

void RefusalLog::note(const domain::ChannelId& channel, std::string_view reason, Timestamp now) {
  if (is_due(channel, now))
    logger_.warning("a channel's target is refused; see --allow-target and --allow-http",
                    {{"channel", channel.text()}, {"reason", reason}});
}

bool RefusalLog::is_due(const domain::ChannelId& channel, Timestamp now) {
  const std::lock_guard lock(mutex_);
  const auto found = logged_at_.find(channel);
  if (found != logged_at_.end() && now.millis() - found->second.millis() < kPauseMs) return false;
  if (logged_at_.size() >= kChannelsMax) logged_at_.clear();
  logged_at_.insert_or_assign(channel, now);
  return true;
}

namespace {

using stores::NewDelivery;
using stores::Recovery;

bool is_meant(const Recovery& recovery, const domain::RecordedEvent& event) {
  return event.position <= recovery.requested_at && event.recorded_at <= recovery.until;
}

}  // namespace

Position DeliveryRecovery::start_of(const Recovery& recovery, const domain::Channel& channel) const {
  auto since = std::max(recovery.since, channel.created_at);
  if (const auto pruned = database_.pruned_before()) since = std::max(since, *pruned);
  return stores::last_position_before(log_, since);
}

std::vector<NewDelivery> DeliveryRecovery::deliveries_for(const domain::RecordedEvent& event,
                                                          const domain::Channel& channel) {
  std::vector<NewDelivery> deliveries;
  if (event.project != channel.project) return deliveries;
  for (const auto& announcement : stores::announcements_of(history_, event)) {
    if (stores::wants(channel, announcement))
      deliveries.push_back(stores::delivery_for(event, announcement, channel));
  }
  return deliveries;
}

std::optional<DeliveryRecovery::Step> DeliveryRecovery::step() {
  const auto progress = database_.next_recovery(served_);
  if (!progress) return std::nullopt;
  const auto& recovery = progress->recovery;
  served_ = recovery.project;
  std::vector<NewDelivery> missed;
  std::optional<Position> done_up_to;
  const auto channel = eventstore::fold_as<domain::Channel>(log_, domain::channel_stream(recovery.channel),
                                                            recovery.requested_at);
  if (channel) {
    const auto after = progress->done_up_to ? *progress->done_up_to : start_of(recovery, *channel);
    for (const auto& stored : log_.read_after(after, kStepEventsMax)) {
      const auto event = eventstore::decode(stored);
      done_up_to.reset();
      if (!is_meant(recovery, event)) break;
      done_up_to = event.position;
      for (auto& delivery : deliveries_for(event, *channel)) missed.push_back(std::move(delivery));
    }
  }
  database_.advance(recovery, missed, done_up_to, clock_.now());
  return Step{recovery.channel, missed.size()};
}

ChannelDisabler::~ChannelDisabler() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return under_way_.empty(); });
}

void ChannelDisabler::disable(const domain::Channel& channel, domain::ChannelDisabledReason reason) {
  if (channel.checkout_session) return;
  {
    const std::lock_guard lock(mutex_);
    if (!under_way_.insert(channel.id).second) return;
  }
  const domain::DisableChannel command{channel.id, reason, channel.active_since};
  executor_.submit(
      {.command = command, .actor = "worker-webhooks", .api_key = {}, .request_id = "", .idempotency = {}},
      [this, id = channel.id, reason](const eventstore::Result& result) { finished(id, reason, result); });
}

void ChannelDisabler::finished(const domain::ChannelId& channel, domain::ChannelDisabledReason reason,
                               const eventstore::Result& result) {
  if (const auto* completed = std::get_if<eventstore::Completed>(&result)) {
    if (completed->count > 0)
      logger_.warning("a channel was disabled",
                      {{"channel", channel.text()}, {"reason", domain::to_string(reason)}});
  } else if (const auto fault = fault_of(result); !fault.empty()) {
    logger_.warning("a channel could not be disabled for now",
                    {{"channel", channel.text()}, {"reason", fault}});
  }
  const std::lock_guard lock(mutex_);
  under_way_.erase(channel);
  changed_.notify_all();
}

namespace {

using std::chrono::milliseconds;
using stores::AttemptRecord;
using stores::Delivery;
using stores::DeliveryStatus;

// Attempts are collected this long before they are recorded: one transaction costs about the same for one as
// for many. New deliveries go out immediately, unless attempts are being collected.
constexpr milliseconds kKeepEvery{20};
// A query may take longer than its attempt, and the next attempt queries again. So one project's queries get
// only a share of the resolvers.
constexpr std::size_t kResolversPerSender = 2;
constexpr std::size_t kResolversMax = 64;
constexpr std::size_t kProjectsThatShareResolvers = 8;
constexpr std::size_t kResolversOfProjectMin = 4;

BoundedResolver::Limits resolver_limits(unsigned senders) {
  const auto all = std::min(kResolversMax, kResolversPerSender * senders);
  return {all, std::max(kResolversOfProjectMin, all / kProjectsThatShareResolvers)};
}

constexpr std::chrono::minutes kPruneEvery{1};
constexpr std::size_t kPruneRowsMax = 500;  // one step delays nothing longer than a batch of attempts

// Applies a change to the queue of deliveries to send.
struct TellQueue {
  SendQueue& queue;
  bool& recovering;
  const Timestamp now;

  void operator()(const stores::NewDelivery& delivery) const {
    queue.wake(delivery.channel, delivery.first_attempt_at);
  }
  // The channel's tests are read again from the database.
  void operator()(const stores::ChannelStopped& stopped) const {
    queue.drop(stopped.channel);
    queue.wake(stopped.channel, now);
  }
  // Its recovery may have waited for this.
  void operator()(const stores::ChannelResumed&) const { recovering = true; }
  // A queued delivery is read again in its new form.
  void operator()(const stores::Redelivery& again) const {
    queue.drop(again.channel, again.id);
    queue.wake(again.channel, again.at);
  }
  void operator()(const stores::Recovery&) const { recovering = true; }
};

// Nullopt also if the log is damaged there: code that must read the channel reports it.
std::optional<domain::Channel> readable_channel(const eventstore::Log& log, const domain::ChannelId& id,
                                                Position up_to) {
  try {
    return eventstore::fold_as<domain::Channel>(log, domain::channel_stream(id), up_to);
  } catch (const std::runtime_error&) {
    return std::nullopt;
  }
}

eventstore::LogCursor cursor_of(const stores::DeliveryRepository& database) {
  auto cursor = database.cursor();
  assert(cursor.has_value());
  return *std::move(cursor);
}

}  // namespace

WebhookWorker::WebhookWorker(const WebhookWorkerParts& parts, WebhookWorkerOptions options)
    : parts_(parts),
      options_(std::move(options)),
      follower_(parts.log, cursor_of(parts.database)),
      maker_(parts.log, options_.schedule),
      recovery_(parts.log, parts.clock, parts.database),
      composer_(parts.log, parts.keyring, parts.ended_epochs),
      channels_(parts.log),
      resolver_(parts.resolver, resolver_limits(options_.senders)),
      sender_(options_.sender),
      disabler_(parts.executor, parts.logger),
      queue_(options_.senders),
      refusals_(parts.logger),
      refused_(parts.logger),
      threads_([this] {
        stop_reader();
        queue_.stop();
      }) {
  for (const auto& [channel, from] : parts_.database.channels_with_work()) queue_.wake(channel, from);
  keeper_ = threads_.start([this] { keep(); });
  for (unsigned i = 0; i < options_.senders; ++i) senders_.push_back(threads_.start([this] { send(); }));
  reader_ = threads_.start([this] { read(); });
}

WebhookWorker::~WebhookWorker() { stop(); }

void WebhookWorker::stop() {
  if (!keeper_.joinable()) return;
  stop_reader();
  reader_.join();
  queue_.stop();
  for (auto& sender : senders_) sender.join();
  queue_.close();
  keeper_.join();
}

// --- the reader: events → deliveries ---

void WebhookWorker::stop_reader() {
  stopping_ = true;
  refused_.stop();
  parts_.log.wake();
}

void WebhookWorker::read() {
  while (!stopping_) {
    const bool stepped = follower_.step(*this);
    const bool recovered = recover();
    if (!stepped && !recovered) follower_.wait(kLookAroundEvery, [this] { return stopping_.load(); });
  }
}

void WebhookWorker::handle(const std::vector<domain::RecordedEvent>& events,
                           const eventstore::LogCursor& after) {
  std::vector<stores::DeliveryChange> changes;
  for (const auto& event : events) {
    for (auto& change : maker_.changes_of(event)) changes.push_back(std::move(change));
  }
  refused_.run([&] { parts_.database.add(changes, after); });
  const auto now = parts_.clock.now();
  for (const auto& change : changes) std::visit(TellQueue{queue_, recovering_, now}, change);
}

bool WebhookWorker::recover() {
  if (!recovering_) return false;
  const auto step = refused_.run([this] { return recovery_.step(); });
  recovering_ = step.has_value();
  if (step && step->missed > 0) queue_.wake(step->channel, parts_.clock.now());
  return recovering_;
}

// --- the keeper: database ↔ queue ---

void WebhookWorker::keep() {
  while (auto work = queue_.wait_for_work(parts_.clock.now(), kLookAroundEvery)) {
    const auto started = std::chrono::steady_clock::now();
    record(work->results);
    for (const auto& wanted : work->refills) refill(wanted);
    prune();
    if (!work->results.empty()) std::this_thread::sleep_until(started + kKeepEvery);
  }
}

void WebhookWorker::record(const std::vector<AttemptRecord>& results) {
  if (results.empty()) return;
  const auto now = parts_.clock.now();
  const auto up_to = cursor_of(parts_.database).position;
  refused_.run([&] { parts_.database.record(results, now); });
  queue_.forget(results);
  std::set<domain::ChannelId> channels, failing;
  for (const auto& result : results) {
    // It may have released others, or be due again soon: the refill will see.
    if (channels.insert(result.channel).second) queue_.wake(result.channel, now);
    if (result.attempt && result.status != DeliveryStatus::kDelivered) failing.insert(result.channel);
  }
  for (const auto& channel : failing) disable_if_failing_too_long(channel, up_to, now);
}

// The health covers the channel's events that the reader has applied up to the position, or later.
void WebhookWorker::disable_if_failing_too_long(const domain::ChannelId& id, Position up_to, Timestamp now) {
  const auto health = parts_.database.health(id);
  const auto too_long = [&](Timestamp since) {
    return since.plus_millis(options_.disable_after.count()) <= now;
  };
  if (!health.failing_since || !too_long(*health.failing_since)) return;
  const auto channel = readable_channel(parts_.log, id, up_to);
  // An attempt that ran while the channel resumed counts in the health from its own start.
  if (channel && too_long(channel->active_since))
    disabler_.disable(*channel, domain::ChannelDisabledReason::kFailing);
}

void WebhookWorker::prune() {
  const auto steady_now = std::chrono::steady_clock::now();
  if (steady_now < next_prune_) return;
  const auto before = parts_.clock.now().plus_millis(-options_.keep_deliveries.count());
  const bool has_more = refused_.run([&] { return parts_.database.prune(before, kPruneRowsMax); });
  if (!has_more) next_prune_ = steady_now + kPruneEvery;
}

void WebhookWorker::refill(const SendQueue::Refill& wanted) {
  const auto now = parts_.clock.now();
  auto due = parts_.database.due(wanted.channel, now, wanted.limit);
  const auto next_due = due.size() < wanted.limit ? parts_.database.next_due(wanted.channel, now) : now;
  const std::string host = due.empty() ? wanted.channel.text() : host_of(due.front());
  queue_.put(wanted.channel, host, std::move(due), next_due);
}

std::string WebhookWorker::host_of(const Delivery& delivery) {
  try {
    const auto channel = channel_at(parts_.log.head(), delivery.channel);
    if (!channel) return delivery.channel.text();
    const auto url = parse_webhook_url(channel->url, options_.targets.host_names());
    if (const auto* parsed = std::get_if<WebhookUrl>(&url)) return parsed->host_header();
  } catch (const std::runtime_error&) {
    // An unreadable channel: its attempts report the fault.
  }
  return delivery.channel.text();
}

// --- the senders: deliveries → attempts ---

void WebhookWorker::send() {
  while (auto delivery = queue_.take()) {
    auto record = attempt(*delivery);
    report(*delivery, record);
    queue_.finish(std::move(record));
  }
}

AttemptRecord WebhookWorker::attempt(const Delivery& delivery) {
  const auto started_at = parts_.clock.now();
  PostResult result;
  // An unreadable record affects its delivery or channel only.
  try {
    const auto head = parts_.log.head();
    const auto channel = channel_at(head, delivery.channel);
    if (!channel || (!channel->is_active && !delivery.is_test())) return give_up(delivery, head.position);
    result = post(delivery, *channel, started_at);
    // The receiver at this address is gone, which may not be the channel's new address.
    if (result.http_status == kGone) disabler_.disable(*channel, domain::ChannelDisabledReason::kGone);
  } catch (const eventstore::KeyringError& error) {
    result.error = "the channel's secret cannot be opened";
    log_failure(delivery, error);
  } catch (const ResolveTimeout& error) {
    result.error = error.what();
    result.latency_ms = options_.sender.attempt_timeout.count();
  } catch (const std::runtime_error& error) {
    result.error = "the webhook cannot be made";
    log_failure(delivery, error);
  }
  const auto schedule = options_.schedule ? *options_.schedule : RetrySchedule::of(delivery.environment);
  return judge_attempt(delivery, result, schedule, started_at, parts_.clock.now(), roll_dice(parts_.entropy));
}

std::optional<domain::Channel> WebhookWorker::channel_at(const Head& head, const domain::ChannelId& id) {
  const auto state = channels_.find(domain::channel_stream(id), head);
  const auto* channel = state ? std::get_if<domain::Channel>(state.get()) : nullptr;
  if (!channel) return std::nullopt;
  return *channel;
}

PostResult WebhookWorker::post(const Delivery& delivery, const domain::Channel& channel,
                               Timestamp started_at) {
  const auto started = std::chrono::steady_clock::now();
  const ResolverUntil resolver(resolver_, started + options_.sender.attempt_timeout, delivery.project.text());
  const auto target = check_webhook_target(channel.url, options_.targets, resolver);
  if (const auto* reason = std::get_if<TargetRefused>(&target)) {
    PostResult refused;
    refused.error = "target refused: it " + reason->reason;
    refusals_.note(delivery.channel, reason->reason, started_at);
    return refused;
  }
  const auto secrets = stores::signing_secrets(channel, parts_.keyring, started_at);
  auto webhook = composer_.compose(delivery, secrets, delivery.attempts + 1, started_at);
  auto cause = parts_.traces ? parts_.traces->find(delivery.position, delivery.created_at) : std::nullopt;
  if (!cause) return sender_.post(std::get<PinnedTarget>(target), webhook, started);
  const auto span = parts_.traces->begin(*std::move(cause));
  for (auto& header : span.headers()) webhook.headers.push_back(std::move(header));
  auto result = sender_.post(std::get<PinnedTarget>(target), webhook, started);
  end_span(span, delivery, result);
  return result;
}

void WebhookWorker::end_span(const stores::AttemptSpan& span, const Delivery& delivery,
                             const PostResult& result) const {
  const std::string event(stores::event_name(delivery));
  std::vector<SpanAttribute> attributes{
      {"pixledger.environment", std::string(to_string(delivery.environment))},
      {"pixledger.project", delivery.project.text()},
      {"pixledger.event", event},
      {"pixledger.position", static_cast<std::int64_t>(delivery.position.value())},
      {"pixledger.channel", delivery.channel.text()},
      {"pixledger.attempt", static_cast<std::int64_t>(delivery.attempts + 1)},
      {"pixledger.outcome", std::string(stores::attempt_outcome(result.http_status, result.succeeded()))}};
  if (delivery.charge) attributes.push_back({"pixledger.transaction", delivery.charge->text()});
  if (result.http_status != 0) attributes.push_back({"http.response.status_code", result.http_status});
  const auto error = result.http_status == 0 ? "unreachable" : std::to_string(result.http_status);
  parts_.traces->end(span, "webhook " + event, std::move(attributes), result.succeeded() ? "" : error);
}

void WebhookWorker::log_failure(const Delivery& delivery, const std::exception& error) {
  parts_.logger.error(
      "a webhook could not be made",
      {{"delivery", delivery.id.text()}, {"channel", delivery.channel.text()}, {"fault", error.what()}});
}

void WebhookWorker::report(const Delivery& delivery, const AttemptRecord& record) {
  if (!record.attempt) return;
  if (record.status != DeliveryStatus::kFailed && record.status != DeliveryStatus::kExhausted) return;
  parts_.logger.warning("a webhook was given up", {{"delivery", delivery.id.text()},
                                                   {"channel", delivery.channel.text()},
                                                   {"status", stores::to_string(record.status)},
                                                   {"attempts", record.attempt->number},
                                                   {"error", record.attempt->error}});
}

}  // namespace pixledger::workers
