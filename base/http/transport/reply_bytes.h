#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/http/message/reply.h"

namespace pixledger::http {

// The value of the Date header, which changes once a second only (RFC 9110 §5.6.7).
class DateText {
 public:
  std::string_view at(std::int64_t unix_time_s);

 private:
  std::int64_t unix_time_s_ = -1;
  std::string text_;
};

// How a reply's body is delimited (RFC 9112 §6.3).
enum class BodyFraming { kLength, kChunks, kUntilClose };

// What an answer's bytes have besides the answer itself.
struct ReplyFraming {
  std::string_view request_id;
  std::string_view date;
  BodyFraming body = BodyFraming::kLength;
  bool keep_alive = true;
  // For how long a kept connection may be idle. Clients and proxies that read it close earlier, so that none
  // sends a request on a connection that is being closed.
  std::int64_t idle_timeout_s = 1;
  std::span<const ReplyHeader> more_headers;
};

// Appends the reply's head, which says how long its body is but does not have it.
void append_reply_head(const Reply& reply, const ReplyFraming& framing, std::string& bytes);

// What follows the head: nothing after 204 and 304 (RFC 9110 §15.3.5, §15.4.5).
std::string_view body_of(const Reply& reply);

// Puts the chunk's size and end around what was appended to `bytes` behind `begin` (RFC 9112 §7.1).
inline constexpr std::size_t kChunkHeadBytes = 10;
void begin_chunk(std::string& bytes);
void end_chunk(std::string& bytes, std::size_t begin);
inline constexpr std::string_view kLastChunk = "0\r\n\r\n";

}  // namespace pixledger::http
