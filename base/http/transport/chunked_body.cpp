#include "base/http/transport/chunked_body.h"

#include <algorithm>

#include "base/http/message/token.h"
#include "base/text/ascii.h"

namespace pixledger::http {
namespace {

constexpr std::size_t kSizeDigitsMax = 8;
// Extensions and trailers mean nothing to this server; a caller may send this much of them in a body.
constexpr std::size_t kDiscardedBytesMax = 4096;

// By the characters of chunk-ext (RFC 9112 §7.1.1), quoted texts included.
bool is_extension(char c) { return is_ascii_printable(c) || c == '\t'; }

bool is_control_but_tab(char c) { return (c >= 0 && c < 0x20 && c != '\t') || c == 0x7F; }

}  // namespace

std::size_t ChunkedBody::feed(std::string_view bytes, std::string& body) {
  std::size_t at = 0;
  while (at < bytes.size() && state_ == State::kIncomplete) {
    if (expects_ != Expects::kData) {
      read(bytes[at++]);
      continue;
    }
    const std::size_t take = std::min(chunk_bytes_, bytes.size() - at);
    body.append(bytes.substr(at, take));
    at += take;
    chunk_bytes_ -= take;
    if (chunk_bytes_ == 0) expects_ = Expects::kDataReturn;
  }
  return at;
}

void ChunkedBody::read(char c) {
  switch (expects_) {
    case Expects::kSize:
      return read_size(c);
    case Expects::kExtensionMark:
      if (c == ' ' || c == '\t') return discard();
      return expect(c, ';', Expects::kExtension);
    case Expects::kExtension:
      if (c == '\r') return expect(c, '\r', Expects::kSizeLineFeed);
      if (!is_extension(c)) state_ = State::kMalformed;
      return discard();
    case Expects::kSizeLineFeed:
      if (c != '\n') state_ = State::kMalformed;
      return end_size_line();
    case Expects::kDataReturn:
      return expect(c, '\r', Expects::kDataLineFeed);
    case Expects::kDataLineFeed:
      return expect(c, '\n', Expects::kSize);
    case Expects::kTrailer:
      return read_trailer(c);
    case Expects::kTrailerLineFeed:
      expect(c, '\n', Expects::kTrailer);
      if (state_ == State::kIncomplete && line_bytes_ == 0) state_ = State::kDone;
      line_bytes_ = 0;
      return;
    case Expects::kData:
      return;
  }
}

void ChunkedBody::expect(char c, char wanted, Expects next) {
  if (c != wanted) state_ = State::kMalformed;
  expects_ = next;
}

void ChunkedBody::read_size(char c) {
  const int digit = hex_digit(c);
  if (digit >= 0 && size_digits_ < kSizeDigitsMax) {
    chunk_bytes_ = chunk_bytes_ * 16 + static_cast<std::size_t>(digit);
    ++size_digits_;
    return;
  }
  if (size_digits_ == 0 || digit >= 0) {
    state_ = State::kMalformed;
  } else if (c == ';') {
    expects_ = Expects::kExtension;
  } else if (c == ' ' || c == '\t') {
    expects_ = Expects::kExtensionMark;
  } else {
    expect(c, '\r', Expects::kSizeLineFeed);
  }
}

void ChunkedBody::end_size_line() {
  size_digits_ = 0;
  decoded_bytes_ += chunk_bytes_;
  expects_ = chunk_bytes_ == 0 ? Expects::kTrailer : Expects::kData;
  if (state_ == State::kIncomplete && decoded_bytes_ > body_bytes_max_) state_ = State::kTooLarge;
}

// A trailer is a header line: a name without blanks, a colon, a value (RFC 9112 §5). What is none could be
// the next request of another reader.
void ChunkedBody::read_trailer(char c) {
  if (c == '\r') {
    if (line_bytes_ > 0 && !has_colon_) state_ = State::kMalformed;
    return expect(c, '\r', Expects::kTrailerLineFeed);
  }
  if (line_bytes_++ == 0) has_colon_ = false;
  if (c == ':' && line_bytes_ > 1) has_colon_ = true;
  if (has_colon_ ? is_control_but_tab(c) : !is_token_character(c)) state_ = State::kMalformed;
  discard();
}

void ChunkedBody::discard() {
  if (++discarded_bytes_ > kDiscardedBytesMax) state_ = State::kMalformed;
}

}  // namespace pixledger::http
