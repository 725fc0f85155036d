#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/http/transport/chunked_body.h"

namespace pixledger::web {

// What the API answered.
struct ApiReply {
  int status = 0;
  std::string content_type;
  std::string body;
  // Those that were to be kept, by the names that they were asked for with, in the order of the answer.
  std::vector<std::pair<std::string_view, std::string>> headers{};
};

// How an answer is read.
struct ReadOptions {
  // More of a body than that is not taken. Where it is taken off as it comes, this counts what is left.
  std::size_t body_bytes_max;
  bool is_taken_off = false;
  // Beside Content-Type; what is named outlives all readers.
  std::span<const std::string_view> kept_headers{};
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

  explicit ResponseReader(ReadOptions options) : options_(options) {}

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
  const ApiReply& reply() const { return reply_; }

 private:
  enum class Framing { kLength, kChunks, kUntilClose };

  void read_head();
  bool read_status_line(std::string_view line);
  bool read_header(std::string_view line);
  void keep(std::string_view name, std::string_view value);
  void begin_body();
  void read_body();

  const ReadOptions options_;
  State state_ = State::kHead;
  bool is_untouched_ = true;
  bool keeps_alive_ = true;
  Framing framing_ = Framing::kUntilClose;
  std::optional<std::size_t> length_;  // what is left of it
  std::optional<http::ChunkedBody> chunks_;
  std::string unread_;
  ApiReply reply_;
};

}  // namespace pixledger::web
