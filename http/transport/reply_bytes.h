#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "http/message/reply.h"

namespace pixledger::http {

// The value of the Date header, which changes once a second only (RFC 9110 §5.6.7).
class DateText {
 public:
  std::string_view at(std::int64_t unix_time_s);

 private:
  std::int64_t unix_time_s_ = -1;
  std::string text_;
};

// What an answer's bytes have besides the answer itself.
struct ReplyFraming {
  std::string_view request_id;
  std::string_view date;
  bool without_body = false;  // the answer to HEAD: the length of the body, but not the body
  bool keep_alive = true;
  bool say_keep_alive = false;  // an HTTP/1.0 client wants to read it
  std::span<const ReplyHeader> more_headers;
};

// Replaces `bytes` by the whole reply, head and body, as one send takes it.
void write_reply(const Reply& reply, const ReplyFraming& framing, std::string& bytes);

}  // namespace pixledger::http
