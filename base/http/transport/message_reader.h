#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/http/message/request.h"

namespace pixledger::http {

// Parses the request line and header section of HTTP/1.1 (RFC 9112 §2–§6), strictly and without I/O.
//
// POCO's parser is not used. It accepts header lines without a colon, and a second Content-Length or one
// beside Transfer-Encoding. It also decodes RFC 2047 words in framing headers. So this server and a proxy in
// front could disagree on where a request ends.

// The limits of a request line with headers.
struct HeadLimits {
  std::size_t head_bytes_max;
  std::size_t header_count_max;
};

// How the body is delimited, and whether the connection persists.
struct Framing {
  std::size_t content_bytes = 0;  // from Content-Length; saturates far above any body limit
  bool chunked = false;
  bool expects_continue = false;
  bool is_http_1_0 = false;
  bool keep_alive = true;
};

// A request that the transport rejects. The connection closes after the reply.
struct Refusal {
  int status;
  std::string_view message;  // a literal
};

// Whether a head ends within `bytes`, which start at its first byte.
struct HeadEnd {
  std::size_t head_bytes = 0;  // including the empty line; 0 while incomplete
  std::optional<Refusal> refusal;
};
HeadEnd find_head_end(std::string_view bytes, const HeadLimits& limits);

// Fills `framing` and `request`: method, path, query, headers and the caller's request id, if valid. `head`
// must have the size that find_head_end returned.
std::optional<Refusal> parse_head(std::string_view head, const HeadLimits& limits, Request& request,
                                  Framing& framing);

// Decodes one chunked body (RFC 9112 §7.1) incrementally, strictly and without I/O. Discards chunk extensions
// and trailer fields. Done only after the last chunk and the empty line: POCO's stream cannot distinguish a
// complete body from a peer that stopped.
class ChunkedBody {
 public:
  enum class State { kIncomplete, kDone, kMalformed, kTooLarge };

  explicit ChunkedBody(std::size_t body_bytes_max) : body_bytes_max_(body_bytes_max) {}

  // Appends decoded bytes to `body` and returns how many of `bytes` belong to this body. Consumes nothing
  // unless the state is kIncomplete.
  std::size_t feed(std::string_view bytes, std::string& body);

  State state() const { return state_; }

 private:
  enum class Expects {
    kSize,
    kExtensionMark,  // after blanks behind the size only an extension may follow
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
  std::size_t chunk_bytes_ = 0;      // what is left of the current chunk
  std::size_t decoded_bytes_ = 0;    // including the whole current chunk
  std::size_t line_bytes_ = 0;       // of the current trailer line
  bool has_colon_ = false;           // in the current trailer line
  std::size_t discarded_bytes_ = 0;  // extensions and trailers, bounded
};

}  // namespace pixledger::http
