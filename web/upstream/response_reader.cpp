#include "web/upstream/response_reader.h"

#include <charconv>
#include <limits>

#include "base/http/message/header_items.h"
#include "base/text/ascii.h"

namespace pixledger::web {
namespace {

constexpr std::size_t kHeadBytesMax = 16 * 1024;
constexpr std::string_view kLineEnd = "\r\n";
constexpr std::string_view kHeadEnd = "\r\n\r\n";
constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();

template <class Number>
std::optional<Number> number_of(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

void ResponseReader::feed(std::string_view bytes) {
  if (bytes.empty()) return;
  is_untouched_ = false;
  unread_.append(bytes);
  if (state_ == State::kHead) read_head();
  if (state_ == State::kBody) read_body();
  // Nothing was asked that this could answer.
  if (state_ == State::kDone && !unread_.empty()) keeps_alive_ = false;
}

void ResponseReader::end_of_stream() {
  keeps_alive_ = false;
  if (state_ == State::kDone) return;
  const bool is_whole = state_ == State::kBody && framing_ == Framing::kUntilClose;
  state_ = is_whole ? State::kDone : State::kBroken;
}

void ResponseReader::read_head() {
  const auto end = unread_.find(kHeadEnd);
  if (end == std::string::npos) {
    if (unread_.size() > kHeadBytesMax) state_ = State::kBroken;
    return;
  }
  std::string_view head = std::string_view(unread_).substr(0, end);
  const auto next_line = [&head] {
    const auto at = head.find(kLineEnd);
    const auto line = head.substr(0, at);
    head = at == std::string_view::npos ? std::string_view() : head.substr(at + kLineEnd.size());
    return line;
  };
  bool is_good = read_status_line(next_line());
  while (is_good && !head.empty()) is_good = read_header(next_line());
  unread_.erase(0, end + kHeadEnd.size());
  if (is_good)
    begin_body();
  else
    state_ = State::kBroken;
}

// "HTTP/1.1 200 OK". An interim answer was never asked for.
bool ResponseReader::read_status_line(std::string_view line) {
  constexpr std::string_view kVersion = "HTTP/1.";
  constexpr std::size_t kStatusAt = 9, kStatusDigits = 3;
  constexpr int kFirstFinal = 200, kLast = 599;
  if (!line.starts_with(kVersion) || line.size() < kStatusAt + kStatusDigits || line[kStatusAt - 1] != ' ')
    return false;
  keeps_alive_ = line[kVersion.size()] != '0';
  const auto status = number_of<int>(line.substr(kStatusAt, kStatusDigits));
  if (!status || *status < kFirstFinal || *status > kLast) return false;
  reply_.status = *status;
  return true;
}

bool ResponseReader::read_header(std::string_view line) {
  const auto colon = line.find(':');
  if (colon == std::string_view::npos || colon == 0) return false;
  const auto name = line.substr(0, colon);
  const auto value = http::without_blanks(line.substr(colon + 1));
  if (equal_without_case(name, "Content-Type")) {
    reply_.content_type = value;
  } else if (equal_without_case(name, "Connection")) {
    if (equal_without_case(value, "close")) keeps_alive_ = false;
  } else if (equal_without_case(name, "Content-Length")) {
    const auto length = number_of<std::size_t>(value);
    if (!length || length_) return false;
    length_ = length;
  } else if (equal_without_case(name, "Transfer-Encoding")) {
    if (!equal_without_case(value, "chunked") || chunks_) return false;
    chunks_.emplace(kNoLimit);
  } else {
    keep(name, value);
  }
  return true;
}

void ResponseReader::keep(std::string_view name, std::string_view value) {
  for (const auto kept : options_.kept_headers) {
    if (equal_without_case(name, kept)) reply_.headers.emplace_back(kept, value);
  }
}

void ResponseReader::begin_body() {
  constexpr int kNoContent = 204, kNotModified = 304;
  if (chunks_ && length_) {
    state_ = State::kBroken;
    return;
  }
  if (reply_.status == kNoContent || reply_.status == kNotModified) length_ = 0;
  framing_ = chunks_ ? Framing::kChunks : length_ ? Framing::kLength : Framing::kUntilClose;
  const bool is_too_long = length_ && !options_.is_taken_off && *length_ > options_.body_bytes_max;
  state_ = is_too_long ? State::kBroken : State::kBody;
}

void ResponseReader::read_body() {
  auto& body = reply_.body;
  switch (framing_) {
    case Framing::kLength: {
      const auto taken = std::min(*length_, unread_.size());
      body.append(unread_, 0, taken);
      unread_.erase(0, taken);
      *length_ -= taken;
      if (*length_ == 0) state_ = State::kDone;
      break;
    }
    case Framing::kChunks: {
      unread_.erase(0, chunks_->feed(unread_, body));
      if (chunks_->state() == http::ChunkedBody::State::kDone) state_ = State::kDone;
      if (chunks_->state() == http::ChunkedBody::State::kMalformed) state_ = State::kBroken;
      break;
    }
    case Framing::kUntilClose:
      body.append(unread_);
      unread_.clear();
      break;
  }
  if (body.size() > options_.body_bytes_max) state_ = State::kBroken;
}

}  // namespace pixledger::web
