#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
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

// Decodes one chunked body (RFC 9112 §7.1) from the pieces that arrive, strictly and without I/O. Chunk
// extensions and trailer fields are read and dropped. Done only when the last chunk and the empty line after
// it were seen: POCO's stream ends the same way whether the body was complete or the peer just stopped.
class ChunkedBody {
 public:
  enum class State { kIncomplete, kDone, kMalformed, kTooLarge };

  explicit ChunkedBody(std::size_t body_bytes_max) : body_bytes_max_(body_bytes_max) {}

  // Appends what it decodes to `body` and returns how many of `bytes` belong to this body. Reads nothing once
  // the state is another than kIncomplete.
  std::size_t feed(std::string_view bytes, std::string& body);

  State state() const { return state_; }

 private:
  enum class Expects {
    kSize,
    kExtensionMark,  // after blanks behind the size nothing else may come than an extension
    kExtension,
    kSizeLineFeed,
    kData,
    kDataReturn,
    kDataLineFeed,
    kTrailer,
    kTrailerLineFeed
  };

  void read(char c);
  void read_size(char c);
  void end_size_line();
  void read_trailer(char c);
  void discard();
  void expect(char c, char wanted, Expects next);

  std::size_t body_bytes_max_;
  State state_ = State::kIncomplete;
  Expects expects_ = Expects::kSize;
  std::size_t size_digits_ = 0;
  std::size_t chunk_bytes_ = 0;      // what is left of the present chunk
  std::size_t decoded_bytes_ = 0;    // with the present chunk in full
  std::size_t line_bytes_ = 0;       // of the present trailer line
  bool has_colon_ = false;           // the present trailer line
  std::size_t discarded_bytes_ = 0;  // extensions and trailers, bounded
};

}  // namespace pixledger::http
