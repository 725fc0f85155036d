#include "http/health.h"

#include "http/error_reply.h"
#include "http/json_writer.h"

namespace pixledger::http {
namespace {

// Readiness probes come every few seconds; a view that lags this long is behind for good reason.
constexpr std::chrono::milliseconds kLagMax{1000};

}  // namespace

Reply healthz(const Request&) {
  JsonWriter json;
  json.begin_object().boolean("success", true).key("data").begin_object().text("status", "ok");
  json.end_object().end_object();
  return {200, json.str()};
}

Reply readyz(const Services& services, const Request& request) {
  const auto head = services.log.head();
  if (!services.projector.wait_applied(head.position, kLagMax)) {
    const auto fault = services.projector.fault();
    return transport_error_reply(
        request, 503, "The read models are behind the ledger" + (fault.empty() ? "." : ": " + fault));
  }
  JsonWriter json;
  json.begin_object().boolean("success", true).key("data").begin_object().text("status", "ready");
  json.end_object().end_object();
  return {200, json.str()};
}

}  // namespace pixledger::http
