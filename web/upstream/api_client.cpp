#include "web/upstream/api_client.h"

#include <Poco/Exception.h>
#include <utility>

namespace pixledger::web {
namespace {

constexpr std::chrono::milliseconds kLookEvery{100};

std::string request_text(const ApiAccess& access, const ApiCall& call) {
  auto text = access.request_head(call.method, call.path);
  text.append("X-Forwarded-For: ").append(call.caller).append("\r\n");
  if (!call.request_id.empty()) text.append("X-Request-Id: ").append(call.request_id).append("\r\n");
  if (!call.body.empty()) {
    text.append("Content-Type: application/json\r\nContent-Length: ");
    text.append(std::to_string(call.body.size())).append("\r\n");
  }
  return text.append("\r\n").append(call.body);
}

}  // namespace

ApiClient::ApiClient(http::EventLoop& loop, ApiAccess access) : loop_(loop), access_(access) {}

ApiClient::~ApiClient() = default;

void ApiClient::stop() {
  stopped_ = true;
  timer_.cancel();
  waiting_.clear();
  lanes_.clear();
}

void ApiClient::ask(ApiCall call, Done done) {
  auto question = std::make_shared<Question>(
      Question{.call = std::move(call), .done = std::move(done), .asked_at = Clock::now()});
  ++counts_.waiting;
  loop_.post([this, question] { enter(std::move(*question)); });
}

void ApiClient::enter(Question question) {
  if (stopped_) return;
  if (waiting_.size() >= kWaitingMax) {
    ++counts_.crowded_out;
    --counts_.waiting;
    question.done(std::nullopt);
    return;
  }
  waiting_.push_back(std::move(question));
  if (!timer_.is_set()) loop_.timers().set(timer_, loop_.now() + kLookEvery);
  assign();
}

// A callback may ask again (through the loop's queue), and a connection may break at once. The outer call
// then continues with the queue.
void ApiClient::assign() {
  if (is_assigning_) return;
  is_assigning_ = true;
  while (!waiting_.empty()) {
    const auto lane = free_lane();
    if (lane == lanes_.end()) break;
    auto question = std::move(waiting_.front());
    waiting_.pop_front();
    send(*lane, std::move(question));
    look_at(lane);
  }
  is_assigning_ = false;
}

// An open one, a new one, or end().
ApiClient::Lanes::iterator ApiClient::free_lane() {
  for (auto lane = lanes_.begin(); lane != lanes_.end(); ++lane) {
    if (lane->connection && !lane->question && !lane->connection->is_broken()) return lane;
  }
  if (lanes_.size() >= kConnectionsMax) return lanes_.end();
  const auto lane = lanes_.emplace(lanes_.end());
  try {
    const auto address = access_.address.current();
    if (!address) throw Poco::IOException("the API's address is not known");
    lane->connection =
        std::make_unique<ApiConnection>(loop_, access_.target(*address, {kBodyBytesMax}), [this, lane] {
          look_at(lane);
          assign();
        });
    return lane;
  } catch (const std::exception&) {
    lanes_.erase(lane);
    access_.address.look_again();
    for (auto& question : std::exchange(waiting_, {})) answer(std::move(question), std::nullopt);
    return lanes_.end();
  }
}

void ApiClient::send(Lane& lane, Question question) {
  auto text = request_text(access_, question.call);
  lane.question = std::move(question);
  lane.connection->send(std::move(text));
}

void ApiClient::look_at(Lanes::iterator lane) {
  using State = ResponseReader::State;
  if (!lane->connection) return;  // closed in this turn
  const auto state = lane->connection->response().state();
  if (lane->question && state == State::kDone) return finish(lane);
  if (lane->connection->is_broken() || state == State::kBroken) return note_break(lane);
  // The API sent data without a request.
  if (!lane->question && !lane->connection->response().keeps_alive()) drop(lane);
}

void ApiClient::finish(Lanes::iterator lane) {
  auto question = *std::exchange(lane->question, std::nullopt);
  auto reply = std::move(lane->connection->response().reply());
  lane->was_used = true;
  lane->idle_since = loop_.now();
  if (!lane->connection->response().keeps_alive() || lane->connection->is_broken()) drop(lane);
  if (reply.status == kUnauthorized) access_.credentials.read_anew();
  answer(std::move(question), std::move(reply));
}

void ApiClient::note_break(Lanes::iterator lane) {
  auto question = std::exchange(lane->question, std::nullopt);
  const bool was_closing = lane->was_used && lane->connection->response().is_untouched();
  const bool was_never_there = !lane->was_used && lane->connection->response().is_untouched();
  drop(lane);
  if (was_never_there) access_.address.look_again();
  if (!question) return;
  if (was_closing && !question->is_repeated && question->call.method == "GET") {
    question->is_repeated = true;
    waiting_.push_front(*std::move(question));
    return;
  }
  answer(*std::move(question), std::nullopt);
}

void ApiClient::drop(Lanes::iterator lane) {
  const std::shared_ptr<ApiConnection> going(std::move(lane->connection));
  loop_.at_end_of_turn([this, going, lane] {
    if (!stopped_) lanes_.erase(lane);
  });
}

void ApiClient::answer(Question question, std::optional<ApiReply> reply) {
  --counts_.waiting;
  if (reply) {
    ++counts_.answered;
    const auto took = Clock::now() - question.asked_at;
    counts_.microseconds +=
        static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(took).count());
  } else {
    ++counts_.unanswered;
  }
  question.done(std::move(reply));
}

void ApiClient::look_at_time() {
  const auto now = loop_.now();
  while (!waiting_.empty() && now - waiting_.front().asked_at >= kPatience) {
    auto question = std::move(waiting_.front());
    waiting_.pop_front();
    answer(std::move(question), std::nullopt);
  }
  for (auto lane = lanes_.begin(); lane != lanes_.end(); ++lane) {
    if (!lane->connection) continue;
    if (lane->question && now - lane->question->asked_at >= kPatience) {
      auto question = *std::exchange(lane->question, std::nullopt);
      drop(lane);
      answer(std::move(question), std::nullopt);
    } else if (!lane->question && now - lane->idle_since >= kApiIdleMax) {
      drop(lane);
    }
  }
  assign();
  if (!waiting_.empty() || !lanes_.empty()) loop_.timers().set(timer_, now + kLookEvery);
}

}  // namespace pixledger::web
