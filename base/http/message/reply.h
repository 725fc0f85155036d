#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace pixledger::http {

// The body of a reply that is made while it is sent: asked for more whenever there is room for it, so that it
// is never made faster than it is read. Used by the loop that has the connection, and destroyed by it when
// the reply has ended or its peer has gone.
class BodySource {
 public:
  enum class Then {
    kMore,   // ask again as soon as there is room
    kLater,  // nothing now: ask again when `wake` was called
    kEnd,    // that was all
    kCut     // the reply cannot be completed, or its reader is too slow: the connection is cut
  };

  virtual ~BodySource() = default;
  // Called once, before anything else. `wake` may be called from any thread, also when the reply has ended.
  virtual void begin(std::function<void()> wake) = 0;
  // Appends about `room` bytes at most.
  virtual Then append_to(std::string& bytes, std::size_t room) = 0;
};

inline constexpr std::string_view kJson = "application/json";
inline constexpr std::string_view kProblemJson = "application/problem+json";
inline constexpr std::string_view kEventStream = "text/event-stream";
inline constexpr std::string_view kStreamComment = ":\n\n";  // an event of it that says nothing
inline constexpr std::string_view kMetricsText = "text/plain; version=0.0.4; charset=utf-8";  // Prometheus

// One header field of an answer.
struct ReplyHeader {
  std::string_view name;  // outlives the reply: a literal
  std::string value;      // visible ASCII and blanks only; asserted
};

// With which the API names the user that it answers, and the devices that the user has signed in with.
inline constexpr std::string_view kUserHeader = "Pixledger-User";
inline constexpr std::string_view kDeviceHeader = "Pixledger-Device";

// What a refusal says, for whoever counts refusals.
struct ErrorNote {
  std::string code;
  std::vector<std::string> fields;  // that are wrong
};

// What a handler answers. The transport adds the framing, Date, X-Request-Id and, where the reply has none of
// its own, Cache-Control: no-store; it leaves the body out of answers to HEAD, of 204 and of 304.
struct Reply {
  int status = 200;
  std::string body;
  std::string_view content_type = kJson;  // outlives the reply: a literal
  std::vector<ReplyHeader> headers{};
  // Instead of `body`: what outlives every reply, such as a document of the program's own. Never copied.
  std::string_view static_body{};
  // Instead of either: sent as it is made, without a length.
  std::shared_ptr<BodySource> source{};
  // Of a refusal as the interface defines them; goes nowhere.
  std::shared_ptr<const ErrorNote> error{};
};

// The standard's phrase for a status (RFC 9110 §15, RFC 6585); "Error" or "OK" for one this server never
// sends.
std::string_view status_text(int status);

// For a body that is made once and sent often.
std::string gzip(std::string_view bytes);

// The text with "…" in place of the directories of each absolute path: what anybody may read names a file,
// and not where the machine keeps it.
std::string without_paths(std::string_view text);

}  // namespace pixledger::http
