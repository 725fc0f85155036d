#pragma once

#include <optional>
#include <string_view>

#include "base/http/message/reply.h"
#include "base/http/transport/server.h"

namespace pixledger {
class Clock;
class Entropy;
class Logger;
}  // namespace pixledger

namespace pixledger::web {

class SiteMetrics;

// What both listeners need; all of it outlives them.
struct Dependencies {
  const Clock& clock;
  Entropy& entropy;
  Logger& logger;
  SiteMetrics& metrics;
  bool has_metrics_apart;  // on an address of their own
};

// What any listener of the program needs; `observer` may be null.
http::ServerServices server_services(const Dependencies& dependencies, http::ServerObserver* observer);

// Of the places that every listener has.
http::Reply health_reply();
// `is_ready`: the API can be reached, and this does not stop.
http::Reply ready_reply(const http::Request& request, bool is_ready);
// Not found where they have an address of their own.
http::Reply metrics_reply(const http::Request& request, const Dependencies& dependencies);

}  // namespace pixledger::web
