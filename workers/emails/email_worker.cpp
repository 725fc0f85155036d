#include "workers/emails/email_worker.h"

#include <algorithm>
#include <cassert>
#include <string>
#include <utility>

#include "stores/sql/refusal.h"
#include "workers/emails/email_message.h"

namespace pixledger::workers {
namespace {

using std::chrono::milliseconds;
using stores::Email;
using stores::EmailRecord;
using stores::EmailStatus;

constexpr milliseconds kTellCappedEvery = std::chrono::minutes(10);
constexpr milliseconds kTellFailureEvery = std::chrono::minutes(10);

eventstore::LogCursor cursor_of(const stores::EmailRepository& database) {
  auto cursor = database.cursor();
  assert(cursor.has_value());
  return *std::move(cursor);
}

}  // namespace

EmailWorker::EmailWorker(const EmailWorkerParts& parts, EmailWorkerOptions options)
    : parts_(parts),
      options_(std::move(options)),
      follower_(parts.log, cursor_of(parts.database)),
      refused_(parts.logger),
      threads_([this] { ask_to_stop(); }) {
  for (unsigned i = 0; i < options_.senders; ++i) senders_.push_back(threads_.start([this] { send(); }));
  reader_ = threads_.start([this] { read(); });
}

EmailWorker::~EmailWorker() { stop(); }

void EmailWorker::stop() {
  if (!reader_.joinable()) return;
  ask_to_stop();
  reader_.join();
  for (auto& sender : senders_) sender.join();
  const std::lock_guard lock(mutex_);
  tell_capped(parts_.clock.now(), true);
}

void EmailWorker::ask_to_stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  refused_.stop();
  parts_.log.wake();
}

// --- the reader: events → e-mails ---

void EmailWorker::read() {
  while (!stopping_) {
    if (!follower_.step(*this)) follower_.wait(kLookAroundEvery, [this] { return stopping_.load(); });
  }
}

void EmailWorker::handle(const std::vector<domain::RecordedEvent>& events,
                         const eventstore::LogCursor& after) {
  std::vector<stores::NewEmail> emails;
  for (const auto& event : events) {
    if (auto email = email_of(event, parts_.log)) emails.push_back(*std::move(email));
  }
  refused_.run([&] { parts_.database.add(emails, after); });
  if (emails.empty()) return;
  // A sender that checked before these were added is waiting by now; wake it.
  const std::lock_guard lock(mutex_);
  changed_.notify_one();
}

// --- the senders: e-mails → attempts ---

void EmailWorker::send() {
  const auto transport = options_.make_transport();
  while (const auto email = take(*transport))
    finish(*email, refused_.run([&] { return attempt(*email, *transport); }));
}

std::optional<Email> EmailWorker::take(EmailTransport& transport) {
  std::unique_lock lock(mutex_);
  for (bool rested = false; !stopping_; rested = true) {
    const auto now = parts_.clock.now();
    if (auto email = find_due(now)) {
      // There may be more, and another thread must poll.
      changed_.notify_one();
      return email;
    }
    if (!rested) {
      lock.unlock();
      transport.rest();
      lock.lock();
      continue;
    }
    tell_capped(now);
    wait_for_change(lock, now);
  }
  return std::nullopt;
}

// One of the waiting senders polls for all.
void EmailWorker::wait_for_change(std::unique_lock<std::mutex>& lock, Timestamp now) {
  if (std::exchange(looks_around_, true)) {
    changed_.wait(lock);
    return;
  }
  auto wait = kLookAroundEvery;
  if (const auto next = parts_.database.next_due(now))
    wait = std::min(wait, milliseconds(next->millis() - now.millis()));
  changed_.wait_for(lock, wait);
  looks_around_ = false;
}

std::optional<Email> EmailWorker::find_due(Timestamp now) {
  // One more than are in hand, so that a free one is among them if there is any.
  for (auto& email : parts_.database.due(now, in_hand_.size() + 1)) {
    if (in_hand_.insert(email.position).second) return std::move(email);
  }
  return std::nullopt;
}

void EmailWorker::finish(const Email& email, EmailRecord record) {
  refused_.run([&] { parts_.database.record(record); });
  {
    const std::lock_guard lock(mutex_);
    in_hand_.erase(email.position);
    // The polling sender does not know of it.
    if (record.status == EmailStatus::kPending) changed_.notify_all();
  }
  if (record.status == EmailStatus::kPending || record.status == EmailStatus::kSent) return;
  if (record.status == EmailStatus::kCapped) {
    const std::lock_guard lock(mutex_);
    ++capped_;
    return;
  }
  parts_.logger.warning("an e-mail was given up", {{"transaction", email.charge.text()},
                                                   {"position", email.position.value()},
                                                   {"status", stores::to_string(record.status)},
                                                   {"attempts", record.attempts},
                                                   {"error", record.error}});
}

EmailRecord EmailWorker::attempt(const Email& email, EmailTransport& transport) {
  // An e-mail that cannot be composed must not hold up others.
  try {
    const auto outgoing = parts_.composer.compose(email);
    if (!outgoing) {
      // An attempt that died before this check may have left the e-mail.
      transport.withdraw(email_name(email.position, email.recorded_at));
      return {email.position, EmailStatus::kWithdrawn, email.attempts, {}, ""};
    }
    const auto attempt = deliver(email, *outgoing, transport);
    if (attempt.result == EmailResult::kFailed) tell_failure(attempt.error);
    // An erasure removes what exists by then; this e-mail may have been written later.
    if (!parts_.composer.compose(email)) transport.withdraw(outgoing->name);
    return judge(email, attempt);
  } catch (const std::runtime_error& error) {
    if (stores::refusal_of(error)) throw;
    parts_.logger.error("an e-mail could not be made",
                        {{"transaction", email.charge.text()}, {"fault", error.what()}});
    return judge(email, {EmailResult::kFailed, "the e-mail cannot be made"});
  }
}

// The attempts of a traced e-mail differ in one header, which names the span.
EmailAttempt EmailWorker::deliver(const Email& email, const OutgoingEmail& outgoing,
                                  EmailTransport& transport) {
  auto cause = parts_.traces ? parts_.traces->find(email.position, email.recorded_at) : std::nullopt;
  if (!cause) return transport.deliver(outgoing);
  const auto span = parts_.traces->begin(*std::move(cause));
  auto traced = outgoing;
  if (span.cause.is_callers)
    traced.bytes.insert(0, "X-Traceparent: " + traceparent_of(span.cause, span.id) + "\r\n");
  auto attempt = transport.deliver(traced);
  const auto outcome = to_string(attempt.result);
  const bool has_failed = attempt.result == EmailResult::kRefused || attempt.result == EmailResult::kFailed;
  parts_.traces->end(span, "mail",
                     {{"pixledger.environment", std::string(to_string(email.environment))},
                      {"pixledger.transaction", email.charge.text()},
                      {"pixledger.position", static_cast<std::int64_t>(email.position.value())},
                      {"pixledger.attempt", static_cast<std::int64_t>(email.attempts + 1)},
                      {"pixledger.outcome", std::string(outcome)}},
                     has_failed ? outcome : "");
  return attempt;
}

// A mail server that accepts nothing needs the operator long before the first e-mail is given up.
void EmailWorker::tell_failure(const std::string& error) {
  const auto now = parts_.clock.now();
  {
    const std::lock_guard lock(mutex_);
    if (failure_told_at_ && now.millis() - failure_told_at_->millis() < kTellFailureEvery.count()) return;
    failure_told_at_ = now;
  }
  parts_.logger.warning("an e-mail could not be delivered; it is tried again", {{"error", error}});
}

// Any holder of a test key can cause thousands of them, so they are counted, and logged once no e-mail is
// due.
void EmailWorker::tell_capped(Timestamp now, bool is_last) {
  const bool was_just_told =
      capped_told_at_ && now.millis() - capped_told_at_->millis() < kTellCappedEvery.count();
  if (capped_ == 0 || (was_just_told && !is_last)) return;
  capped_told_at_ = now;
  parts_.logger.warning("e-mails of the sandbox were capped", {{"count", std::exchange(capped_, 0)}});
}

EmailRecord EmailWorker::judge(const Email& email, const EmailAttempt& attempt) {
  EmailRecord record{email.position, EmailStatus::kPending, email.attempts + 1, {}, attempt.error};
  const auto delay = options_.schedule.delay_before(record.attempts + 1, roll_dice(parts_.entropy));
  if (attempt.result == EmailResult::kAccepted)
    record.status = EmailStatus::kSent;
  else if (attempt.result == EmailResult::kCapped)
    record.status = EmailStatus::kCapped;
  else if (attempt.result == EmailResult::kRefused)
    record.status = EmailStatus::kRefused;
  else if (!delay)
    record.status = EmailStatus::kExhausted;
  else
    record.next_attempt_at = parts_.clock.now().plus_millis(delay->count());
  return record;
}

}  // namespace pixledger::workers
