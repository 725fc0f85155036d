#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "http/transport/chunked_body.h"

namespace pixledger::web {

// What the API answered.
struct ApiReply {
  int status = 0;
  std::string content_type;
  std::string body;
};

// Reads one answer of HTTP/1.1 (RFC 9112) from the pieces that arrive, without I/O.
class ResponseReader {
 public:
  enum class State {
    kHead,
    kBody,
    kDone,
    kBroken  // no answer, or one over the limits
  };

  // More of a body than that is not taken. Of a stream it counts what is in `body` and not taken yet.
  explicit ResponseReader(std::size_t body_bytes_max) : body_bytes_max_(body_bytes_max) {}

  void feed(std::string_view bytes);
  // The peer sends no more, which ends a body without a length.
  void end_of_stream();

  State state() const { return state_; }
  // Nothing of an answer has come.
  bool is_untouched() const { return is_untouched_; }
  // Whether another request may follow on the connection; once it is kDone.
  bool keeps_alive() const { return keeps_alive_; }

  // As far as it has come: the head from kBody on. What is taken off the body of a stream makes room in it.
  ApiReply& reply() { return reply_; }

 private:
  enum class Framing { kLength, kChunks, kUntilClose };

  void read_head();
  bool read_status_line(std::string_view line);
  bool read_header(std::string_view line);
  void begin_body();
  void read_body();

  const std::size_t body_bytes_max_;
  State state_ = State::kHead;
  bool is_untouched_ = true;
  bool keeps_alive_ = true;
  Framing framing_ = Framing::kUntilClose;
  std::optional<std::size_t> length_;
  std::optional<http::ChunkedBody> chunks_;
  std::string unread_;
  ApiReply reply_;
};

}  // namespace pixledger::web
