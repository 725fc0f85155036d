#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace pixledger::http {

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
