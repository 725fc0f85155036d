#include "web/upstream/change_stream.h"

#include <algorithm>
#include <utility>

namespace pixledger::web {
namespace {

constexpr std::string_view kPath = "/api/v1/payer/changes";
constexpr std::size_t kUnreadBytesMax = 1024 * 1024;
// The API sends a comment every fifteen seconds.
constexpr std::chrono::seconds kSilenceMax{40};
// For connecting and the beginning of the reply.
constexpr std::chrono::seconds kOpeningMax{5};
constexpr std::chrono::milliseconds kFirstPause{100};
constexpr std::chrono::milliseconds kLastPause{2'000};
constexpr std::chrono::milliseconds kStreamLookEvery{1'000};

std::string_view value_of(std::string_view line, std::size_t colon) {
  auto value = line.substr(std::min(colon + 1, line.size()));
  if (value.starts_with(' ')) value.remove_prefix(1);
  return value;
}

}  // namespace

bool take_event(std::string& bytes, StreamEvent& event) {
  event = {};
  std::size_t at = 0;
  std::size_t taken = 0;
  bool is_whole = false;
  for (auto end = bytes.find('\n'); end != std::string::npos && !is_whole; end = bytes.find('\n', at)) {
    auto line = std::string_view(bytes).substr(at, end - at);
    at = end + 1;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) {
      is_whole = !event.data.empty();
      taken = at;
      if (!is_whole) event = {};
      continue;
    }
    const auto colon = std::min(line.find(':'), line.size());
    const auto field = line.substr(0, colon);
    if (field == "event") event.name = value_of(line, colon);
    if (field != "data") continue;
    if (!event.data.empty()) event.data += '\n';
    event.data += value_of(line, colon);
  }
  bytes.erase(0, taken);
  return is_whole;
}

ChangeStream::ChangeStream(http::EventLoop& loop, ApiAccess access, Listener& listener)
    : loop_(loop), access_(access), listener_(listener) {}

ChangeStream::~ChangeStream() = default;

void ChangeStream::start() { open(); }

void ChangeStream::stop() {
  timer_.cancel();
  connection_.reset();
  is_open_ = false;
}

void ChangeStream::open() {
  heard_at_ = loop_.now();
  loop_.timers().set(timer_, heard_at_ + kStreamLookEvery);
  const auto address = access_.address.current();
  if (!address) return close();
  try {
    connection_ = std::make_unique<ApiConnection>(
        loop_, access_.target(*address, {.body_bytes_max = kUnreadBytesMax, .is_taken_off = true}),
        [this] { look(); });
  } catch (const std::exception&) {
    return close();
  }
  connection_->send(access_.request_head("GET", kPath) + "Accept: text/event-stream\r\n\r\n");
}

void ChangeStream::look() {
  if (!connection_) return;  // closed in this turn
  auto& response = connection_->response();
  heard_at_ = loop_.now();
  using State = ResponseReader::State;
  if (response.state() == State::kBody && response.reply().status == kOk) read_events();
  if (response.reply().status == kUnauthorized) access_.credentials.read_anew();
  const bool is_stream = response.state() == State::kHead ||
                         (response.state() == State::kBody && response.reply().status == kOk);
  if (connection_->is_broken() || !is_stream) close();
}

void ChangeStream::read_events() {
  if (!is_open_.exchange(true)) {
    pause_ = {};
    // Also the first time: pages may have been waiting for it.
    ++opened_;
    listener_.on_gap();
  }
  StreamEvent event;
  while (take_event(connection_->response().reply().body, event)) {
    if (event.name == "session") listener_.on_change(event.data);
  }
}

void ChangeStream::close() {
  if (connection_) {
    loop_.at_end_of_turn([going = std::shared_ptr<ApiConnection>(std::move(connection_))] {});
    connection_.reset();
  }
  if (!is_open_.exchange(false)) access_.address.look_again();
  pause_ = std::clamp(2 * pause_, kFirstPause, kLastPause);
  loop_.timers().set(timer_, loop_.now() + pause_);
}

void ChangeStream::on_timer() {
  if (!connection_) return open();
  const auto silence = is_open_ ? std::chrono::milliseconds(kSilenceMax) : kOpeningMax;
  if (loop_.now() - heard_at_ >= silence) return close();
  loop_.timers().set(timer_, loop_.now() + kStreamLookEvery);
}

}  // namespace pixledger::web
