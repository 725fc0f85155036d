#include "eventstore/postgres/pg_problem.h"

#include <algorithm>

namespace pixledger::eventstore {
namespace {

constexpr std::size_t kProblemMax = 300;
// For a URI with many hosts.
constexpr std::size_t kHostsMax = 1'000;

// libpq begins its message about a host with one of these (fe-connect.c, emitHostIdentityInfo).
constexpr std::string_view kAtServer = "connection to server at ";
constexpr std::string_view kOnSocket = "connection to server on socket ";
constexpr std::string_view kFailed = " failed: ";

std::string printable(std::string_view text) {
  std::string line;
  for (const char c : text) line += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  return line;
}

std::string_view take_line(std::string_view& text) {
  const auto end = std::min(text.find('\n'), text.size());
  const auto line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

// `"db1" (10.0.0.1), port 5432` → `db1 (10.0.0.1), port 5432`
std::string host_of(std::string_view named) {
  auto host = printable(named);
  host.erase(std::remove(host.begin(), host.end(), '"'), host.end());
  return host;
}

// Returns "HOST: REASON"; empty for a line that only explains the reason before it.
std::string reason_of_host(std::string_view line) {
  for (const auto beginning : {kAtServer, kOnSocket}) {
    if (!line.starts_with(beginning)) continue;
    line.remove_prefix(beginning.size());
    const auto failed = line.find(kFailed);
    if (failed == std::string_view::npos) return {};
    return host_of(line.substr(0, failed)) + ": " + printable(line.substr(failed + kFailed.size()));
  }
  return {};
}

}  // namespace

std::string line_of_problem(std::string_view text) {
  return printable(take_line(text).substr(0, kProblemMax));
}

std::string problem_of_hosts(std::string_view text) {
  std::string hosts;
  for (auto rest = text; !rest.empty();) {
    const auto reason = reason_of_host(take_line(rest)).substr(0, kProblemMax);
    if (reason.empty()) continue;
    if (hosts.size() + reason.size() > kHostsMax) break;
    hosts += (hosts.empty() ? "" : "; ") + reason;
  }
  return hosts.empty() ? line_of_problem(text) : hosts;
}

}  // namespace pixledger::eventstore
