#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "base/http/message/request.h"

namespace pixledger::http {

// The request line and header section of HTTP/1.1 (RFC 9112 §2–§6), read strictly and without I/O.
//
// POCO's own reader is not used for them: it takes header lines without a colon, a Content-Length twice or
// beside Transfer-Encoding, and decodes RFC 2047 words in framing headers, so that this server and a proxy in
// front of it could disagree on where a request ends.

// What a request's line and headers may be at most.
struct HeadLimits {
  std::size_t head_bytes_max;
  std::size_t header_count_max;
};

// How the body is delimited and what becomes of the connection.
struct Framing {
  std::size_t content_bytes = 0;  // as promised by Content-Length; saturates far above any body limit
  bool chunked = false;
  bool expects_continue = false;
  bool is_http_1_0 = false;
  bool keep_alive = true;
};

// A request that is not handed to the application. The connection closes after the answer.
struct Refusal {
  int status;
  std::string_view message;  // a literal
};

// Whether a head ends within `bytes`, which begin with its first byte.
struct HeadEnd {
  std::size_t head_bytes = 0;  // with the empty line; 0 while incomplete
  std::optional<Refusal> refusal;
};
HeadEnd find_head_end(std::string_view bytes, const HeadLimits& limits);

// Fills method, path, query, headers and, when the caller sent an acceptable one, the request id of
// `request`, and `framing`. `head` is what find_head_end measured.
std::optional<Refusal> parse_head(std::string_view head, const HeadLimits& limits, Request& request,
                                  Framing& framing);

}  // namespace pixledger::http
