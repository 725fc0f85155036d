#include "workers/banks/api_pix/bank_exchange.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <tuple>
#include <utility>

#include "base/net/http_status.h"
#include "workers/banks/api_pix/novelties.h"
#include "workers/common/retry_schedule.h"

namespace pixledger::workers {
namespace {

bool ends_so(std::string_view type, std::span<const std::string_view> endings) {
  return std::any_of(endings.begin(), endings.end(),
                     [&](std::string_view ending) { return type.ends_with(ending); });
}

}  // namespace

BankResult<Accepted> judge_answer(const BankProfile& profile, BankOperation operation, Answered answer) {
  const int status = answer.status;
  if (status >= kOk && status < kFirstRedirect) return Accepted{std::move(answer.body)};
  auto error = read_bank_error(status, answer.body,
                               is_about_a_payer(operation) ? ErrorText::kLeftOut : ErrorText::kRead);
  if (status == kTooManyRequests) return Unavailable{BootTime(0), to_string(error), true};
  if (status >= kFirstServerError) {
    if (changes_something(operation)) return OutcomeUnknown{to_string(error)};
    return Unavailable{BootTime(0), to_string(error), true};
  }
  // Who is not let in is told of no payments, whatever the error is called.
  const bool is_denied = status == kUnauthorized || status == kForbidden;
  const bool is_told = !is_denied && status >= kBadRequest && means_not_found(profile, operation, error.type);
  if (is_told || status == kNotFound) return NotFound{is_told};
  if (status == kConflict) return Duplicate{};
  if (status >= kBadRequest && ends_so(error.type, profile.duplicate_endings)) return Duplicate{};
  return Refused{std::move(error)};
}

bool is_fault(const CallResult& result) {
  const auto* const answer = std::get_if<Answered>(&result);
  return answer == nullptr || answer->status >= kFirstServerError;
}

bool asks_for_less(const Answered& answer) {
  return answer.status == kTooManyRequests || answer.status == kServiceUnavailable;
}

namespace {

constexpr std::chrono::seconds kUsualWait{1};
constexpr std::int64_t kClockApartMsMax = 30 * 60'000LL;

bool wants_another_token(const BankResult<Accepted>& result) {
  const auto* const refused = std::get_if<Refused>(&result);
  return refused != nullptr && refused->error.status == kUnauthorized;
}

BankResult<Accepted> as_failure(BankToken::Result result) {
  if (auto* const refused = std::get_if<Refused>(&result)) return std::move(*refused);
  return std::move(std::get<Unavailable>(result));
}

// Whether a token of one is one of the other.
bool is_same_client(const BankAccess& one, const BankAccess& other) {
  const auto terms = [](const BankAccess& access) {
    return std::tie(access.profile, access.token_url, access.token_auth, access.scopes, access.client_id,
                    access.client_secret, access.certificate_pem, access.private_key_pem);
  };
  return terms(one) == terms(other);
}

}  // namespace

// A probe that does not come to its end, for whatever reason, leaves its turn to another.
class BankExchange::Admission {
 public:
  Admission(BankExchange& exchange, Breaker::Pass pass) : exchange_(exchange), pass_(pass) {}
  ~Admission() {
    const std::lock_guard lock(exchange_.mutex_);
    exchange_.breaker_.cancelled(pass_);
  }
  Admission(const Admission&) = delete;
  Admission& operator=(const Admission&) = delete;

 private:
  BankExchange& exchange_;
  const Breaker::Pass pass_;
};

BankExchange::BankExchange(BankAccess access, BankDependencies dependencies, const BankExchange* before)
    : access_(std::move(access)),
      dependencies_(std::move(dependencies)),
      http_(dependencies_.network.connect(access_.certificate_pem, access_.private_key_pem)),
      gate_(dependencies_.clock, access_.rate, dependencies_.is_stopping),
      token_(dependencies_.clock, [this] { return ask_for_token(); }) {
  if (before == nullptr) return;
  ahead_ms_ = before->ahead_ms_.load();
  has_date_ = before->has_date_.load();
  if (is_same_client(access_, before->access_)) token_.go_on_from(before->token_);
}

BankResult<Accepted> BankExchange::send(const BankRequest& request, const BankTurn& turn) {
  auto admitted = admit();
  if (auto* const unavailable = std::get_if<Unavailable>(&admitted)) return std::move(*unavailable);
  const auto pass = std::get<Breaker::Pass>(admitted);
  const Admission admission(*this, pass);
  auto first = token_.get();
  const auto* const grant = std::get_if<TokenGrant>(&first);
  if (grant == nullptr) return as_failure(std::move(first));
  auto result = send_once(request, turn, pass, grant->token);
  if (!wants_another_token(result)) return result;
  if (is_stopping()) return to_stop();
  token_.reject(grant->token);
  auto second = token_.get();
  const auto* const other = std::get_if<TokenGrant>(&second);
  if (other == nullptr) return as_failure(std::move(second));
  return send_once(request, turn, Breaker::Pass::kGo, other->token);
}

BankToken::Result BankExchange::token() { return token_.get(); }

CallResult BankExchange::reach(const std::string& url, const BankTurn& turn) {
  const auto entered =
      gate_.enter(turn.priority, dependencies_.may_wait ? turn.begin_by : boot_time(dependencies_.clock));
  if (std::holds_alternative<BootTime>(entered))
    return NotSent{"too many requests for the connection's rate"};
  return http_->call({.method = "GET", .url = url, .headers = {}});
}

bool BankExchange::is_open() const {
  const std::lock_guard lock(mutex_);
  return breaker_.is_open();
}

std::optional<BootTime> BankExchange::probe_at() const {
  const std::lock_guard lock(mutex_);
  if (!breaker_.is_open()) return std::nullopt;
  return breaker_.probe_at();
}

Unavailable BankExchange::to_stop() const {
  return {boot_time(dependencies_.clock) + kUsualWait, "the worker is to stop"};
}

std::variant<Breaker::Pass, Unavailable> BankExchange::admit() {
  const auto now = boot_time(dependencies_.clock);
  if (is_stopping()) return to_stop();
  const std::lock_guard lock(mutex_);
  const auto pass = breaker_.admit(now);
  if (pass != Breaker::Pass::kNo) return pass;
  // At its time the probe is under way, and will not take long.
  return Unavailable{std::max<BootTime>(breaker_.probe_at(), now + kUsualWait), "the bank does not work"};
}

BankResult<Accepted> BankExchange::send_once(const BankRequest& request, const BankTurn& turn,
                                             Breaker::Pass pass, const std::string& token) {
  auto entered =
      gate_.enter(turn.priority, dependencies_.may_wait ? turn.begin_by : boot_time(dependencies_.clock));
  if (is_stopping()) return to_stop();
  if (const auto* const later = std::get_if<BootTime>(&entered))
    return Unavailable{*later, "too many requests for the connection's rate"};
  const auto leaves_at = boot_time(dependencies_.clock);
  if (turn.change_by && leaves_at >= *turn.change_by && changes_something(request.operation))
    return Unavailable{leaves_at, "its time has passed"};
  if (turn.before_sending) turn.before_sending();
  const auto began = boot_time(dependencies_.clock);
  const auto call = to_http(access_, request, token, new_correlation_id());
  auto result = http_->call(call);
  count(pass, result);
  if (const auto* const answer = std::get_if<Answered>(&result); answer != nullptr && asks_for_less(*answer))
    gate_.slow_down(retry_after(result));
  auto judged = judge(request.operation, result);
  report(request.operation, outcome_name(judged), began, result);
  return judged;
}

BankResult<Accepted> BankExchange::judge(BankOperation operation, CallResult result) const {
  const auto until = boot_time(dependencies_.clock) + retry_after(result).value_or(kUsualWait);
  if (auto* const unsent = std::get_if<NotSent>(&result))
    return Unavailable{until, std::move(unsent->reason)};
  if (auto* const unknown = std::get_if<OutcomeUnknown>(&result)) {
    if (changes_something(operation)) return std::move(*unknown);
    return Unavailable{until, std::move(unknown->reason), true};
  }
  auto judged = judge_answer(*access_.profile, operation, std::get<Answered>(std::move(result)));
  if (auto* const unavailable = std::get_if<Unavailable>(&judged)) unavailable->until = until;
  return judged;
}

CallResult BankExchange::ask_for_token() {
  const auto began = boot_time(dependencies_.clock);
  auto result = http_->call(token_call(access_));
  const bool probing = is_open();  // or nobody would ask
  if (is_fault(result)) count(probing ? Breaker::Pass::kProbe : Breaker::Pass::kGo, result);
  report(BankOperation::kToken, outcome_name(judge(BankOperation::kToken, result)), began, result);
  return result;
}

void BankExchange::count(Breaker::Pass pass, const CallResult& result) {
  const std::lock_guard lock(mutex_);
  if (is_fault(result))
    breaker_.failed(pass, boot_time(dependencies_.clock));
  else
    breaker_.succeeded(pass);
}

std::optional<std::chrono::milliseconds> BankExchange::retry_after(const CallResult& result) const {
  const auto* const answer = std::get_if<Answered>(&result);
  if (answer == nullptr || answer->retry_after.empty()) return std::nullopt;
  const auto asked = parse_retry_after(answer->retry_after, dependencies_.clock.now());
  if (!asked) return std::nullopt;
  return std::min<std::chrono::milliseconds>(*asked, RatePlan::kRetryAfterMax);
}

void BankExchange::report(BankOperation operation, std::string_view outcome, BootTime began,
                          const CallResult& result) {
  BankCallReport report{.operation = operation,
                        .outcome = outcome,
                        .duration_ms = (boot_time(dependencies_.clock) - began).count(),
                        .ahead_ms = std::nullopt,
                        .is_open = is_open()};
  const auto* const answer = std::get_if<Answered>(&result);
  if (answer != nullptr && answer->date) {
    ahead_ms_ = answer->date->millis() + kHalfASecondMs - dependencies_.clock.now().millis();
    has_date_ = true;
  }
  if (answer != nullptr && (has_date_ || ahead_ms_ != 0)) report.ahead_ms = ahead_ms_;
  if (answer != nullptr) report.novelties = novelties_in(operation, *answer);
  if (dependencies_.observer) dependencies_.observer(report);
}

void BankExchange::note_made(Timestamp at) {
  const auto ahead_ms = at.millis() - dependencies_.clock.now().millis();
  // What is further away is another zone: Itaú's `criacao` is local time with a Z ([B573]).
  if (!has_date_ && std::abs(ahead_ms) < kClockApartMsMax) ahead_ms_ = ahead_ms;
}

// A UUID (RFC 9562 §5.4).
std::string BankExchange::new_correlation_id() {
  std::array<std::byte, 16> bytes{};
  dependencies_.entropy.fill(bytes);
  bytes[6] = (bytes[6] & std::byte{0x0f}) | std::byte{0x40};
  bytes[8] = (bytes[8] & std::byte{0x3f}) | std::byte{0x80};
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    const auto byte = std::to_integer<unsigned>(bytes[i]);
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

}  // namespace pixledger::workers
