#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace pixledger::http {

// A reply body that is produced while it is sent. The connection pulls bytes when it has room, so the body is
// never produced faster than the peer reads. Used and destroyed by the connection's loop, when the reply has
// ended or the peer has gone.
class BodySource {
 public:
  enum class Then {
    kMore,   // pull again as soon as there is room
    kLater,  // nothing now: pull again after `wake`
    kEnd,    // the body is complete
    kCut     // the body cannot be completed, or its reader is too slow: cut the connection
  };

  virtual ~BodySource() = default;
  // Called once, first. `wake` may be called from any thread, even after the reply has ended.
  virtual void begin(std::function<void()> wake) = 0;
  // Appends at most about `room` bytes.
  virtual Then append_to(std::string& bytes, std::size_t room) = 0;
};

inline constexpr std::string_view kJson = "application/json";
inline constexpr std::string_view kProblemJson = "application/problem+json";
inline constexpr std::string_view kEventStream = "text/event-stream";
inline constexpr std::string_view kStreamComment = ":\n\n";  // an event-stream comment, ignored by clients
inline constexpr std::string_view kMetricsText = "text/plain; version=0.0.4; charset=utf-8";  // Prometheus

// One header field of a reply.
struct ReplyHeader {
  std::string_view name;  // a literal: must outlive the reply
  std::string value;      // visible ASCII and blanks only; asserted
};

// API reply headers with the user's id and the devices on which the user has signed in.
inline constexpr std::string_view kUserHeader = "Pixledger-User";
inline constexpr std::string_view kDeviceHeader = "Pixledger-Device";

// The cause of a refusal, for metrics.
struct ErrorNote {
  std::string code;
  std::vector<std::string> fields;  // the invalid fields
};

// A handler's reply. The transport adds framing, Date, X-Request-Id and, unless set, Cache-Control: no-store.
// It omits the body in replies to HEAD and with status 204 or 304.
struct Reply {
  int status = 200;
  std::string body;
  std::string_view content_type = kJson;  // a literal: must outlive the reply
  std::vector<ReplyHeader> headers{};
  // Instead of `body`: data that outlives every reply, such as an embedded document. Never copied.
  std::string_view static_body{};
  // Instead of either: streamed, without a length.
  std::shared_ptr<BodySource> source{};
  // Set on refusals that the interface defines; not sent.
  std::shared_ptr<const ErrorNote> error{};
};

// The standard's phrase for a status (RFC 9110 §15, RFC 6585); "Error" or "OK" for a status that this server
// never sends.
std::string_view status_text(int status);

// For a body that is compressed once and sent often.
std::string gzip(std::string_view bytes);

// Replaces the directories of each absolute path by "…": public texts may name a file but not its location.
std::string without_paths(std::string_view text);

}  // namespace pixledger::http
