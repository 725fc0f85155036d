#include <Poco/Exception.h>
#include <algorithm>
#include <utility>

#include "base/http/json/error_reply.h"
#include "base/http/transport/connection.h"
#include "base/http/transport/connection_set.h"

// How a connection processes requests and sends replies.
namespace pixledger::http {
namespace {

// Smaller bodies are copied behind the head and sent in one call; larger ones are sent in place.
constexpr std::size_t kCopiedBodyMax = 16 * 1024;
// The status that proxies log for this; not in HTTP and never sent.
constexpr int kCallerHasGone = 499;
constexpr std::size_t kHeadBytesGuess = 512;
constexpr std::size_t kBytesPerCall = 256 * 1024;
// Bytes sent in one turn, for fairness to other connections.
constexpr std::size_t kBytesPerTurn = 1024 * 1024;
constexpr std::size_t kKeptCapacity = 4 * 1024;
constexpr int kDropsPerTurn = 16;
constexpr std::string_view kFault = "The server could not process the request; try again.";
constexpr std::string_view kGivenUp =
    "The request took too long and was given up. Whether it was recorded is not known: repeat it with the "
    "same "
    "Idempotency-Key, or ask for less.";
constexpr std::size_t kStreamedMax = 16 * 1024;  // requested from a source at a time

}  // namespace

void Responder::operator()(Reply reply) const {
  // Runs on the loop's thread; the connection may be gone by then.
  const auto answer = [](const Exchange& exchange, Reply&& given) {
    if (exchange.connection) exchange.connection->answer(std::move(given));
  };
  if (exchange_->loop->is_this_thread()) return answer(*exchange_, std::move(reply));
  exchange_->loop->post([answer, exchange = exchange_, given = std::make_shared<Reply>(std::move(reply))] {
    answer(*exchange, std::move(*given));
  });
}

void Responder::prepared() const {
  if (exchange_->connection) exchange_->connection->prepared();
}

void Connection::prepared() {
  if (phase_ != Phase::kPreparing) return;
  enter(Phase::kPrepared);
  may_parse_ = true;
  pump();
}

void Connection::note_arrival() {
  // Waiting for admission counts as time to the reply.
  arrived_at_ = std::exchange(prepared_from_, {});
  if (arrived_at_ == Clock::time_point{}) arrived_at_ = Clock::now();
  if (auto* observer = set_.context().services.observer) observer->request_arrived();
}

void Connection::note_answer(const Reply& reply) {
  auto* observer = set_.context().services.observer;
  if (observer && reply.error) observer->error_answered(exchange_->request, reply);
  note_answer(reply.status);
}

void Connection::note_answer(int status) {
  if (auto* observer = set_.context().services.observer)
    observer->request_answered(exchange_->request, status, Clock::now() - arrived_at_);
}

Reply Connection::fault_reply(std::string_view what) {
  set_.context().services.log_fault(exchange_->request, what);
  return transport_error_reply(exchange_->request, 503, kFault);
}

std::optional<Reply> Connection::refusal_by(const Judge& judge) {
  if (!judge) return std::nullopt;
  try {
    return judge(exchange_->request);
  } catch (const Poco::Exception& error) {
    return fault_reply(error.displayText());
  } catch (const std::exception& error) {
    return fault_reply(error.what());
  }
}

std::size_t Connection::judge(std::string_view rest) {
  const auto& services = set_.context().services;
  if (auto refused = refusal_by(services.route)) return refuse_by_head(*std::move(refused), rest);
  bool is_prepared = true;
  auto fault = refusal_by([&](const Request&) -> std::optional<Reply> {
    is_prepared = !services.prepare || services.prepare(Responder(exchange_));
    return std::nullopt;
  });
  if (fault) return refuse_by_head(*std::move(fault), rest);
  if (is_prepared) return admit(rest);
  prepared_from_ = Clock::now();
  enter(Phase::kPreparing);
  return 0;
}

std::size_t Connection::refuse_by_head(Reply reply, std::string_view rest) {
  // Skips a body that has already arrived; does not wait for one that has not.
  const bool is_here = !framing_.chunked && framing_.content_bytes <= rest.size();
  lingers_ = lingers_ || !is_here;
  if (!is_here) framing_.keep_alive = false;
  note_arrival();
  note_answer(reply);
  send_reply(std::move(reply));
  return is_here ? framing_.content_bytes : 0;
}

void Connection::serve() {
  const auto& context = set_.context();
  auto& request = exchange_->request;
  if (!request.body.empty()) request.body.reserve(request.body.size() + kBodyPaddingBytes);
  enter(Phase::kWorking);
  note_arrival();
  request.budget = WorkBudget(arrived_at_ + context.options.work_max, exchange_->caller_has_gone);
  const bool was_pumping = std::exchange(is_pumping_, true);
  is_serving_ = true;
  try {
    context.services.application(Responder(exchange_));
  } catch (const Poco::Exception& error) {
    if (phase_ == Phase::kWorking) answer(fault_reply(error.displayText()));
  } catch (const std::exception& error) {
    if (phase_ == Phase::kWorking) answer(fault_reply(error.what()));
  }
  is_pumping_ = was_pumping;
  is_serving_ = false;
  if (served_) set_.take_back(std::exchange(served_, nullptr));
}

void Connection::answer(Reply reply) {
  if (phase_ != Phase::kWorking) return;
  auto share = set_.context().replies.take(exchange_->request.caller_address,
                                           reply.static_body.empty() ? reply.body.size() : 0);
  if (share)
    share_ = *std::move(share);
  else
    reply = transport_error_reply(
        exchange_->request, 503, "Too many large answers are being read slowly; try again, or ask for less.");
  note_answer(reply);
  send_reply(std::move(reply));
  pump();
}

void Connection::refuse(const Refusal& refusal) {
  auto& request = exchange_->request;
  if (auto* observer = set_.context().services.observer) observer->request_refused(request, refusal.status);
  framing_.keep_alive = false;
  lingers_ = true;
  send_reply(transport_error_reply(request, refusal.status, refusal.message));
}

void Connection::send_reply(Reply reply) {
  const auto& request = exchange_->request;
  ReplyFraming framing;
  if (reply.source) framing.body = framing_.is_http_1_0 ? BodyFraming::kUntilClose : BodyFraming::kChunks;
  closes_ = closes_ || !framing_.keep_alive || set_.context().draining || set_.context().stopping ||
            framing.body == BodyFraming::kUntilClose;
  framing.request_id = request.request_id;
  framing.date = set_.date();
  framing.keep_alive = !closes_;
  framing.idle_timeout_s = std::max<std::int64_t>(
      1, std::chrono::floor<std::chrono::seconds>(set_.context().options.idle_timeout).count());
  framing.more_headers = request.reply_headers;
  const bool is_copied = body_of(reply).size() <= kCopiedBodyMax;
  out_.reserve(out_.size() + kHeadBytesGuess + (is_copied ? body_of(reply).size() : 0));
  append_reply_head(reply, framing, out_);
  const bool has_body = request.method != Method::kHead;
  if (has_body && reply.source) return begin_stream(std::move(reply.source), framing.body);
  if (has_body) append_body(std::move(reply));
  forget_exchange();
  enter(Phase::kIdle);
}

void Connection::append_body(Reply reply) {
  const auto body = body_of(reply);
  if (body.size() <= kCopiedBodyMax) {
    out_.append(body);
    share_.release();
    return;
  }
  rest_ = body;
  if (!reply.static_body.empty()) return;
  large_body_ = std::move(reply.body);
  rest_ = large_body_;
}

void Connection::begin_stream(std::shared_ptr<BodySource> source, BodyFraming framing) {
  source_ = std::move(source);
  chunks_reply_ = framing == BodyFraming::kChunks;
  enter(Phase::kStreaming);
  source_->begin([exchange = exchange_] {
    exchange->loop->post([exchange] {
      if (exchange->connection) exchange->connection->go_on();
    });
  });
}

// Whether there is something to send, or the reply has ended.
bool Connection::pull_source() {
  // The reader ended its side and may have gone; closing destroys the source, which tells its producer.
  if (peer_ended_) {
    close();
    return false;
  }
  const std::size_t begin = out_.size();
  if (chunks_reply_) begin_chunk(out_);
  const std::size_t content = out_.size();
  const auto then = source_->append_to(out_, kStreamedMax);
  if (out_.size() == content)
    out_.resize(begin);
  else if (chunks_reply_)
    end_chunk(out_, begin);
  if (then == BodySource::Then::kCut) {
    close();
    return false;
  }
  if (then == BodySource::Then::kEnd) {
    if (chunks_reply_) out_.append(kLastChunk);
    source_.reset();
    forget_exchange();
    enter(Phase::kIdle);
    return true;
  }
  return then == BodySource::Then::kMore || out_.size() > out_begin_;
}

bool Connection::flush() {
  std::size_t sent_now = 0;
  while (out_begin_ < out_.size() || !rest_.empty()) {
    if (!writable_) {
      block();
      return false;
    }
    if (sent_now >= kBytesPerTurn) {
      block();
      go_on_in_next_turn();
      return false;
    }
    const bool is_head = out_begin_ < out_.size();
    const auto piece = is_head ? std::string_view(out_).substr(out_begin_) : rest_.substr(0, kBytesPerCall);
    const auto result = channel_.write(piece, is_head && !rest_.empty());
    if (result.kind == Transfer::Kind::kBlocks) {
      writable_ = false;
      continue;
    }
    if (result.kind != Transfer::Kind::kDone) {
      close();
      return false;
    }
    sent_now += result.bytes;
    sent_bytes_ += result.bytes;
    if (is_head)
      out_begin_ += result.bytes;
    else
      rest_.remove_prefix(result.bytes);
  }
  out_begin_ = 0;
  out_.clear();
  if (out_.capacity() > kKeptCapacity || phase_ == Phase::kIdle) out_ = {};
  if (!large_body_.empty()) large_body_ = {};
  share_.release();
  unblock();
  return true;
}

void Connection::block() {
  if (is_blocked_) return;
  is_blocked_ = true;
  taken_at_last_look_ = taken();
  taken_at_block_ = taken_at_last_look_;
  set_deadline(set_.loop().now() + set_.context().options.send_window);
  set_place();
}

void Connection::unblock() {
  if (!is_blocked_) return;
  is_blocked_ = false;
  enter(phase_);
}

std::uint64_t Connection::taken() const {
  const std::uint64_t held = channel_.unacknowledged();
  return sent_bytes_ > held ? sent_bytes_ - held : 0;
}

double Connection::send_rate(Clock::time_point now) const {
  const std::chrono::duration<double> elapsed = now - placed_at_;
  return static_cast<double>(taken() - taken_at_block_) / std::max(elapsed.count(), 1e-3);
}

void Connection::look_at_reader() {
  const auto& options = set_.context().options;
  const auto now_taken = taken();
  const std::chrono::duration<double> window = options.send_window;
  const auto least = static_cast<std::uint64_t>(static_cast<double>(options.min_send_rate) * window.count());
  if (now_taken - taken_at_last_look_ < least) return close();
  taken_at_last_look_ = now_taken;
  set_deadline(set_.loop().now() + options.send_window);
}

void Connection::look_at_work() {
  const auto exchange = exchange_;
  if (exchange->every_second) std::function<void()>(exchange->every_second)();
  if (phase_ != Phase::kWorking || exchange_ != exchange) return;
  const auto& options = set_.context().options;
  const auto end = arrived_at_ + options.work_max + exchange_->allowed_more;
  const auto now = set_.loop().now();
  if (now >= end) return give_up();
  set_deadline(std::min(end, now + kLookAtWorkEvery));
}

void Connection::give_up() {
  if (exchange_->on_gone) std::exchange(exchange_->on_gone, nullptr)();
  answer(transport_error_reply(exchange_->request, 503, kGivenUp));
}

void Connection::forget_exchange() {
  if (!exchange_) return;
  exchange_->connection = nullptr;
  exchange_->has_ended = true;
  exchange_->every_second = nullptr;
  exchange_->on_gone = nullptr;
  // A handler that replied synchronously still holds the exchange.
  if (is_serving_)
    served_ = std::exchange(exchange_, nullptr);
  else
    set_.take_back(std::exchange(exchange_, nullptr));
}

// Everything is sent. Closing now could reset the connection and destroy the reply if the peer still sends
// (RFC 9112 §9.6). So incoming bytes are discarded until the peer ends too, or for kLinger.
void Connection::end() {
  const bool lingers = lingers_ || readable_ || !received_.empty();
  if (!lingers || !set_.may_linger()) return close();
  channel_.end_sending();
  uncount();
  received_ = {};
  readable_ = true;
  set_.note_lingering(+1);
  enter(Phase::kLingering);
}

bool Connection::drop_received() {
  if (!readable_) return false;
  auto& scratch = set_.scratch();
  const auto result = channel_.drop(scratch.data(), scratch.size());
  if (result.kind == Transfer::Kind::kBlocks) {
    readable_ = false;
    return false;
  }
  if (result.kind == Transfer::Kind::kDone && ++served_this_turn_ < kDropsPerTurn) return true;
  if (result.kind == Transfer::Kind::kDone)
    go_on_in_next_turn();
  else
    close();
  return false;
}

void Connection::uncount() {
  if (std::exchange(is_counted_, false)) set_.context().counts.remove(peer_.counted());
}

void Connection::close() {
  if (phase_ == Phase::kClosed) return;
  auto* observer = set_.context().services.observer;
  if (is_arriving() && observer) observer->connection_broke_off();
  if (phase_ == Phase::kLingering) set_.note_lingering(-1);
  if (phase_ == Phase::kWorking) {
    exchange_->caller_has_gone.store(true, std::memory_order_relaxed);
    note_answer(kCallerHasGone);
    if (exchange_->on_gone) std::exchange(exchange_->on_gone, nullptr)();
  }
  if (is_blocked_) channel_.discard_unacknowledged();
  if (phase_ != Phase::kLingering) channel_.end_sending();
  forget_exchange();
  source_.reset();
  share_.release();
  is_blocked_ = false;
  enter(Phase::kClosed);
  uncount();
  set_.remove(*this);
}

}  // namespace pixledger::http
