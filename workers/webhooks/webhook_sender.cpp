#include "workers/webhooks/webhook_sender.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/net/http_client.h"
#include "base/net/http_status.h"
#include "base/process/version.h"
#include "base/text/ascii.h"
#include "base/text/text.h"
#include "stores/deliveries/delivery.h"

namespace pixledger::workers {
namespace {

using std::chrono::steady_clock;

constexpr unsigned char kDel = 0x7f;

bool is_control(unsigned char c) { return c < 0x20 || c == kDel; }

bool is_compressed(std::string_view body, const std::string& coding) {
  // Known codings only: receivers also put the charset here by mistake.
  constexpr std::string_view kCodings[]{"gzip", "x-gzip", "deflate", "compress", "br", "zstd"};
  return body.starts_with("\x1f\x8b") ||
         std::any_of(std::begin(kCodings), std::end(kCodings),
                     [&](auto known) { return equal_without_case(coding, known); });
}

// True if the text is not UTF-8: it contains no valid sequence beyond ASCII.
bool reads_as_latin_1(std::string_view body) {
  while (!body.empty()) {
    const auto lead = static_cast<unsigned char>(body.front());
    if (is_control(lead) && lead != '\t' && lead != '\r' && lead != '\n') return false;
    if (lead >= 0x80 && is_clean_text(body.substr(0, utf8_size(lead)))) return false;
    body.remove_prefix(1);
  }
  return true;
}

std::string from_latin_1(unsigned char character) {
  return {static_cast<char>(0xc0 | (character >> 6)), static_cast<char>(0x80 | (character & 0x3f))};
}

// The stored part of a receiver's answer: its start, at most stores::kAnswerBytesKept bytes, as UTF-8 on one
// line. Control characters become spaces, hidden ones escapes. Bytes that are not UTF-8 become '?', unless
// the whole text is Latin-1.
std::string answer_text(std::string_view body, const std::string& coding) {
  if (!body.empty() && is_compressed(body, coding)) return "(compressed, which was not asked for)";
  body = without_byte_order_mark(body);
  const bool is_latin_1 = reads_as_latin_1(body);
  std::string text;
  while (!body.empty() && text.size() < stores::kAnswerBytesKept) {
    const auto lead = static_cast<unsigned char>(body.front());
    std::string_view character = body.substr(0, utf8_size(lead));
    if (is_control(lead)) {
      text += ' ';
    } else if (is_clean_text(character)) {
      text += character;
    } else {
      character = body.substr(0, 1);
      text += is_latin_1 && lead >= 0xa0 ? from_latin_1(lead) : "?";
    }
    body.remove_prefix(character.size());
  }
  return std::string(first_bytes(with_hidden_escaped(text), stores::kAnswerBytesKept));
}

}  // namespace

WebhookSender::WebhookSender(SenderOptions options)
    : options_(std::move(options)),
      client_(watch_, make_tls_client_context(options_.ca_file), options_.connect_timeout) {}

PostResult WebhookSender::post(const PinnedTarget& target, const stores::WebhookPost& post,
                               steady_clock::time_point started) {
  OutgoingRequest request{.method = "POST",
                          .headers = {{"User-Agent", kUserAgent}, {"Content-Type", "application/json"}},
                          .body = post.body,
                          .answer_bytes_max = kResponseBytesMax,
                          .deadline = started + options_.attempt_timeout,
                          .is_repeatable = true};  // receivers recognize a webhook that they already have
  request.headers.insert(request.headers.end(), post.headers.begin(), post.headers.end());
  const auto sent = client_.send(target, request);
  PostResult result;
  if (const auto* const answer = std::get_if<IncomingAnswer>(&sent)) {
    // Once there is a status, a truncated body does not matter.
    result.http_status = answer->status;
    result.retry_after = answer->headers.get("Retry-After", "");
    result.answer = answer_text(answer->body, answer->headers.get("Content-Encoding", ""));
    if (!result.succeeded()) result.error = "HTTP " + std::to_string(answer->status);
  } else {
    result.error = std::get<SendFailure>(sent).reason;
  }
  result.latency_ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(steady_clock::now() - started).count();
  return result;
}

namespace {

using std::chrono::milliseconds;
using stores::DeliveryStatus;

// The pause that the receiver requests.
milliseconds pause_of(const PostResult& result, Timestamp now) {
  if (result.http_status != kTooManyRequests && result.http_status != kServiceUnavailable)
    return milliseconds(0);
  return parse_retry_after(result.retry_after, now).value_or(milliseconds(0));
}

}  // namespace

stores::AttemptRecord judge_attempt(const stores::Delivery& delivery, const PostResult& result,
                                    const RetrySchedule& schedule, Timestamp started_at, Timestamp ended_at,
                                    std::uint64_t dice) {
  const unsigned attempt = delivery.attempts + 1;
  stores::AttemptRecord record{.delivery_number = delivery.number,
                               .channel = delivery.channel,
                               .charge = delivery.charge,
                               .attempt = stores::DeliveryAttempt{.number = attempt,
                                                                  .at = started_at,
                                                                  .http_status = result.http_status,
                                                                  .latency_ms = result.latency_ms,
                                                                  .error = result.error,
                                                                  .answer = result.answer},
                               .status = DeliveryStatus::kPending,
                               .next_attempt_at = std::nullopt,
                               .round_start = delivery.round_start};
  const auto delay =
      schedule.delay_before(attempt - stores::attempts_before_round(delivery.round_start) + 1, dice);
  if (result.succeeded())
    record.status = DeliveryStatus::kDelivered;
  else if (result.http_status == kGone)
    record.status = DeliveryStatus::kFailed;
  else if (!delay)
    record.status = DeliveryStatus::kExhausted;
  else
    record.next_attempt_at = ended_at.plus_millis(std::max(*delay, pause_of(result, ended_at)).count());
  return record;
}

stores::AttemptRecord give_up(const stores::Delivery& delivery, Position head) {
  return {.delivery_number = delivery.number,
          .channel = delivery.channel,
          .charge = delivery.charge,
          .attempt = std::nullopt,
          .status = DeliveryStatus::kFailed,
          .next_attempt_at = std::nullopt,
          .round_start = delivery.round_start,
          .head = head};
}

}  // namespace pixledger::workers
