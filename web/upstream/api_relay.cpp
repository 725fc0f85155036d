#include "web/upstream/api_relay.h"

#include <Poco/Exception.h>
#include <algorithm>
#include <utility>

#include "base/http/message/reply.h"

namespace pixledger::web {

void RelayedBody::begin(std::function<void()> wake) {
  const std::lock_guard lock(mutex_);
  wake_ = std::move(wake);
}

http::BodySource::Then RelayedBody::append_to(std::string& bytes, std::size_t room) {
  bool has_room = false;
  auto then = Then::kMore;
  {
    const std::lock_guard lock(mutex_);
    if (is_cut_) return Then::kCut;
    const auto taken = std::min(room, unread_.size());
    bytes.append(unread_, 0, taken);
    unread_.erase(0, taken);
    if (unread_.empty()) {
      unread_ = {};
      then = has_ended_ ? Then::kEnd : Then::kLater;
    }
    has_room = unread_.size() < kUnreadBytesMax && std::exchange(is_waited_for_, false);
  }
  if (has_room) wants_more_();
  return then;
}

bool RelayedBody::add(std::string& bytes) {
  bool has_room = false;
  change([&] {
    has_room = unread_.size() < kUnreadBytesMax;
    is_waited_for_ = !has_room;
    if (has_room) unread_.append(bytes);
  });
  if (has_room) bytes.clear();
  return has_room;
}

void RelayedBody::end() {
  change([this] { has_ended_ = true; });
}

void RelayedBody::cut() {
  change([this] {
    is_cut_ = true;
    unread_ = {};
  });
}

void RelayedBody::change(const std::function<void()>& what) {
  const std::lock_guard lock(mutex_);
  what();
  if (wake_) wake_();
}

FairShares::Taken FairShares::take(std::uint64_t id, const Holder& holder) {
  const auto user = of_user_.find(holder.user);
  if (user != of_user_.end() && user->second >= limits_.of_user) return {};
  const auto project = of_project_.find(holder.project);
  const auto of_project = project == of_project_.end() ? 0 : project->second.size();
  if (of_project >= limits_.of_project) return {};
  Taken taken{true};
  if (holders_.size() >= limits_.most) {
    taken.yields = oldest_of_largest(of_project);
    if (!taken.yields) return {};
    give_back(*taken.yields);
  }
  holders_.emplace(id, holder);
  of_project_[holder.project].insert(id);
  ++of_user_[holder.user];
  return taken;
}

// nullopt if no project has more than that.
std::optional<std::uint64_t> FairShares::oldest_of_largest(std::size_t than) const {
  const auto largest = std::max_element(
      of_project_.begin(), of_project_.end(),
      [](const auto& left, const auto& right) { return left.second.size() < right.second.size(); });
  if (largest == of_project_.end() || largest->second.size() <= than) return std::nullopt;
  return *largest->second.begin();
}

void FairShares::give_back(std::uint64_t id) {
  const auto found = holders_.find(id);
  if (found == holders_.end()) return;
  const auto project = of_project_.find(found->second.project);
  project->second.erase(id);
  if (project->second.empty()) of_project_.erase(project);
  const auto user = of_user_.find(found->second.user);
  if (--user->second == 0) of_user_.erase(user);
  holders_.erase(found);
}

namespace {

constexpr std::chrono::milliseconds kRelayLookEvery{250};
// The most that one read may bring beyond the pause.
constexpr std::size_t kReadMax = 64 * 1024;
using State = ResponseReader::State;

std::string request_text(const ApiAccess& access, const RelayedCall& call) {
  auto text = access.request_line(call.method, call.target) + access.credentials.key_header();
  text.append(call.headers);
  if (!call.body.empty()) text.append("Content-Type: ").append(call.body_type).append("\r\n");
  if (call.method != "GET")
    text.append("Content-Length: ").append(std::to_string(call.body.size())).append("\r\n");
  return text.append("\r\n").append(call.body);
}

}  // namespace

ApiRelay::ApiRelay(http::EventLoop& loop, ApiAccess access, std::span<const std::string_view> kept_headers)
    : loop_(loop), access_(access), kept_headers_(kept_headers) {}

ApiRelay::~ApiRelay() = default;

std::uint64_t ApiRelay::ask(RelayedCall call, Done done) {
  const auto id = ++last_id_;
  auto question = std::make_shared<Question>(
      Question{.id = id, .call = std::move(call), .done = std::move(done), .asked_at = Clock::now()});
  ++counts_.waiting;
  loop_.post([this, question] { enter(std::move(*question)); });
  return id;
}

void ApiRelay::abandon(std::uint64_t id) {
  loop_.post([this, id] { drop_question(id); });
}

void ApiRelay::cut_streams() {
  loop_.post([this] {
    takes_no_streams_ = true;
    for (auto& lane : lanes_) {
      if (const auto stream = lane.stream.lock()) stream->cut();
    }
  });
}

void ApiRelay::stop() {
  stopped_ = true;
  timer_.cancel();
  waiting_.clear();
  lanes_.clear();
}

void ApiRelay::enter(Question question) {
  if (stopped_) return;
  if (waiting_.size() >= kWaitingMax) {
    ++counts_.crowded_out;
    --counts_.waiting;
    question.done(std::nullopt);
    return;
  }
  waiting_.push_back(std::move(question));
  if (!timer_.is_set()) loop_.timers().set(timer_, loop_.now() + kRelayLookEvery);
  assign();
}

// Closes the connection, too, so that the API can stop working on the request.
void ApiRelay::drop_question(std::uint64_t id) {
  const auto of_id = [id](const Question& question) { return question.id == id; };
  const auto found = std::find_if(waiting_.begin(), waiting_.end(), of_id);
  if (found != waiting_.end()) {
    waiting_.erase(found);
    --counts_.waiting;
    ++counts_.abandoned;
    return;
  }
  for (auto lane = lanes_.begin(); lane != lanes_.end(); ++lane) {
    const bool is_asked = lane->question && lane->question->id == id;
    if (!is_asked && lane->stream_id != id) continue;
    if (is_asked) --counts_.waiting;
    ++counts_.abandoned;
    lane->question.reset();
    release(lane);
    drop(lane);
    return assign();
  }
}

// A connection may break at once. The outer call then continues with the queue.
void ApiRelay::assign() {
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
ApiRelay::Lanes::iterator ApiRelay::free_lane() {
  const auto is_free = [](const Lane& lane) { return lane.is_free(); };
  const auto found = std::find_if(lanes_.begin(), lanes_.end(), is_free);
  if (found != lanes_.end()) return found;
  if (lanes_.size() - counts_.streams >= kConnectionsMax) return lanes_.end();
  const auto lane = lanes_.emplace(lanes_.end());
  if (open(lane)) return lane;
  lanes_.erase(lane);
  access_.address.look_again();
  for (auto& question : std::exchange(waiting_, {})) fail(std::move(question));
  return lanes_.end();
}

bool ApiRelay::open(Lanes::iterator lane) {
  const ReadOptions read{
      .body_bytes_max = kInOnePieceBytesMax + kReadMax, .is_taken_off = true, .kept_headers = kept_headers_};
  try {
    const auto address = access_.address.current();
    if (!address) return false;
    lane->connection = std::make_unique<ApiConnection>(loop_, access_.target(*address, read), [this, lane] {
      look_at(lane);
      assign();
    });
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

void ApiRelay::send(Lane& lane, Question question) {
  auto text = request_text(access_, question.call);
  const bool is_table = question.call.target.starts_with("/api/v1/exports/");
  lane.silence_max = is_table ? std::chrono::seconds(kTableSilenceMax) : kSilenceMax;
  lane.question = std::move(question);
  lane.heard_at = loop_.now();
  lane.connection->send(std::move(text), lane.bytes_max());
}

void ApiRelay::look_at(Lanes::iterator lane) {
  if (!lane->connection) return;  // closed in this turn
  if (lane->stream_id != 0) return pass_on(lane);
  if (lane->question) return look_at_answer(lane);
  // The API closed it or sent data without a request.
  if (lane->connection->is_broken() || !lane->connection->response().keeps_alive()) drop(lane);
}

void ApiRelay::look_at_answer(Lanes::iterator lane) {
  auto& response = lane->connection->response();
  const auto state = response.state();
  lane->heard_at = loop_.now();
  const bool is_short = response.reply().body.size() <= lane->bytes_max();
  if (state == State::kDone && is_short) return finish(lane);
  if (state == State::kBroken) return note_break(lane);
  if (state != State::kHead && wants_stream(*lane)) return begin_stream(lane);
  if (lane->connection->is_broken()) note_break(lane);
}

bool ApiRelay::wants_stream(const Lane& lane) const {
  const auto& reply = std::as_const(*lane.connection).response().reply();
  return reply.content_type.starts_with(http::kEventStream) || reply.body.size() >= lane.bytes_max();
}

// A reply over its project's share goes on until another project needs its place.
bool ApiRelay::take_share(const Lane& lane, const Question& question) {
  const auto& reply = std::as_const(*lane.connection).response().reply();
  FairShares::Holder holder{question.call.project, question.call.sign_in};
  for (const auto& [name, value] : reply.headers)
    if (name == http::kUserHeader) holder.user = value;
  auto& shares = reply.content_type.starts_with(http::kEventStream) ? streams_ : long_answers_;
  const auto taken = shares.take(question.id, holder);
  if (taken.yields) yield(*taken.yields);
  return taken.is_granted;
}

void ApiRelay::yield(std::uint64_t id) {
  const auto is_it = [id](const Lane& lane) { return lane.stream_id == id; };
  const auto found = std::find_if(lanes_.begin(), lanes_.end(), is_it);
  if (found == lanes_.end()) return;
  ++counts_.yielded;
  if (const auto stream = found->stream.lock()) stream->cut();
  release(found);
  drop(found);
}

void ApiRelay::begin_stream(Lanes::iterator lane) {
  auto question = *std::exchange(lane->question, std::nullopt);
  if (takes_no_streams_ || question.call.is_whole) {
    drop(lane);
    return fail(std::move(question));
  }
  if (!take_share(*lane, question)) {
    drop(lane);
    --counts_.waiting;
    ++counts_.over_share;
    return question.done(RelayedReply{.reply = {}, .rest = {}, .is_over_share = true});
  }
  auto& response = lane->connection->response();
  // The part of the body that has arrived belongs to the rest.
  auto begun = std::exchange(response.reply().body, {});
  RelayedReply relayed{.reply = response.reply()};
  response.reply().body = std::move(begun);
  const auto id = question.id;
  relayed.rest = std::make_shared<RelayedBody>([this, id] { loop_.post([this, id] { look_at_stream(id); }); },
                                               [this, id] { abandon(id); });
  lane->stream = relayed.rest;
  lane->stream_id = id;
  ++counts_.streams;
  --counts_.waiting;
  ++counts_.answered;
  question.done(std::move(relayed));
  pass_on(lane);
}

void ApiRelay::look_at_stream(std::uint64_t id) {
  const auto is_it = [id](const Lane& lane) { return lane.stream_id == id; };
  const auto found = std::find_if(lanes_.begin(), lanes_.end(), is_it);
  if (found != lanes_.end()) look_at(found);
  assign();
}

void ApiRelay::pass_on(Lanes::iterator lane) {
  const auto stream = lane->stream.lock();
  if (!stream) return;  // its abandonment is pending
  auto& response = lane->connection->response();
  auto& body = response.reply().body;
  lane->heard_at = loop_.now();
  lane->is_full = false;
  while (!body.empty()) {
    lane->is_full = !stream->add(body);
    if (lane->is_full) return;
    lane->connection->go_on();
  }
  if (response.state() == State::kDone) {
    stream->end();
    release(lane);
    if (!response.keeps_alive() || lane->connection->is_broken()) drop(lane);
  } else if (response.state() == State::kBroken || lane->connection->is_broken()) {
    ++counts_.cut_streams;
    stream->cut();
    release(lane);
    drop(lane);
  }
}

void ApiRelay::finish(Lanes::iterator lane) {
  auto question = *std::exchange(lane->question, std::nullopt);
  RelayedReply relayed{.reply = std::move(lane->connection->response().reply())};
  lane->was_used = true;
  if (!lane->connection->response().keeps_alive() || lane->connection->is_broken()) drop(lane);
  --counts_.waiting;
  ++counts_.answered;
  question.done(std::move(relayed));
}

void ApiRelay::note_break(Lanes::iterator lane) {
  auto question = *std::exchange(lane->question, std::nullopt);
  const bool is_untouched = lane->connection->response().is_untouched();
  const bool was_closing = lane->was_used && is_untouched;
  if (!lane->was_used && is_untouched) access_.address.look_again();
  drop(lane);
  if (was_closing && !question.is_repeated && question.call.method == "GET") {
    question.is_repeated = true;
    waiting_.push_front(std::move(question));
    return;
  }
  fail(std::move(question));
}

// Ends the lane's relaying.
void ApiRelay::release(Lanes::iterator lane) {
  if (lane->stream_id != 0) {
    --counts_.streams;
    streams_.give_back(lane->stream_id);
    long_answers_.give_back(lane->stream_id);
  }
  lane->stream_id = 0;
  lane->stream.reset();
  lane->is_full = false;
  lane->was_used = true;
}

void ApiRelay::drop(Lanes::iterator lane) {
  const std::shared_ptr<ApiConnection> going(std::move(lane->connection));
  loop_.at_end_of_turn([this, going, lane] {
    if (!stopped_) lanes_.erase(lane);
  });
}

void ApiRelay::fail(Question question) {
  --counts_.waiting;
  ++counts_.unanswered;
  question.done(std::nullopt);
}

bool ApiRelay::is_overdue(const Lane& lane, Clock::time_point now) const {
  if (lane.stream_id != 0) return !lane.is_full && now - lane.heard_at >= lane.silence_max;
  if (!lane.question) return now - lane.heard_at >= kApiIdleMax;
  const bool has_begun = lane.connection->response().state() != State::kHead;
  if (has_begun) return now - lane.heard_at >= lane.silence_max;
  if (!lane.connection->has_opened()) return now - lane.heard_at >= kOpeningMax;
  return now - lane.question->asked_at >= kPatience;
}

void ApiRelay::look_at_time() {
  const auto now = loop_.now();
  while (!waiting_.empty() && now - waiting_.front().asked_at >= kQueuePatience) {
    auto question = std::move(waiting_.front());
    waiting_.pop_front();
    fail(std::move(question));
  }
  for (auto lane = lanes_.begin(); lane != lanes_.end(); ++lane) {
    if (!lane->connection || !is_overdue(*lane, now)) continue;
    if (const auto stream = lane->stream.lock()) {
      ++counts_.cut_streams;
      stream->cut();
    }
    auto question = std::exchange(lane->question, std::nullopt);
    release(lane);
    drop(lane);
    if (question) fail(*std::move(question));
  }
  assign();
  if (!waiting_.empty() || !lanes_.empty()) loop_.timers().set(timer_, now + kRelayLookEvery);
}

}  // namespace pixledger::web
