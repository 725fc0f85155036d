#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/http/message/reply.h"

namespace pixledger::http {

// The value of the Date header, reformatted only once a second (RFC 9110 §5.6.7).
class DateText {
 public:
  std::string_view at(std::int64_t unix_time_s);

 private:
  std::int64_t unix_time_s_ = -1;
  std::string text_;
};

// How a reply's body is delimited (RFC 9112 §6.3).
enum class BodyFraming { kLength, kChunks, kUntilClose };

// The parts of a reply's bytes that do not come from the handler.
struct ReplyFraming {
  std::string_view request_id;
  std::string_view date;
  BodyFraming body = BodyFraming::kLength;
  bool keep_alive = true;
  // The advertised idle limit of a kept connection. Clients and proxies that honour it close earlier, and so
  // never send a request on a closing connection.
  std::int64_t idle_timeout_s = 1;
  std::span<const ReplyHeader> more_headers;
};

// Appends the reply's head, including the body's length but not the body.
void append_reply_head(const Reply& reply, const ReplyFraming& framing, std::string& bytes);

// The body to send; empty for 204 and 304 (RFC 9110 §15.3.5, §15.4.5).
std::string_view body_of(const Reply& reply);

// Frames the bytes appended after `begin` as a chunk (RFC 9112 §7.1).
inline constexpr std::size_t kChunkHeadBytes = 10;
void begin_chunk(std::string& bytes);
void end_chunk(std::string& bytes, std::size_t begin);
inline constexpr std::string_view kLastChunk = "0\r\n\r\n";

}  // namespace pixledger::http
