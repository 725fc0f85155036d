#include "http/server_app.h"

#include "http/authentication.h"
#include "http/routes.h"

namespace pixledger::http {
namespace {

ServerServices transport_services(const ServerFoundations& foundations, const Router& router) {
  ServerServices services;
  services.application = [&router](Request& request) { return router.serve(request); };
  services.entropy = [&entropy = foundations.entropy](std::span<std::byte> bytes) { entropy.fill(bytes); };
  services.unix_time_s = [&clock = foundations.clock] { return clock.now().millis() / 1000; };
  services.log_fault = [&logger = foundations.logger](std::string_view what) {
    logger.error("a request failed", {{"fault", what}});
  };
  return services;
}

}  // namespace

ServerApp::ServerApp(const ServerFoundations& foundations, const ServerOptions& options)
    : projector_(foundations.views, foundations.log),
      list_saver_(foundations.views, projector_,
                  [&logger = foundations.logger](const std::string& fault) {
                    logger.error("the lists' snapshot could not be written", {{"fault", fault}});
                  }),
      executor_(foundations.log, foundations.clock, foundations.entropy, &projector_),
      states_(foundations.log),
      commands_(executor_, projector_),
      services_{foundations.log,   foundations.keyring, foundations.clock, states_,
                foundations.views, projector_,          commands_},
      router_(all_routes(services_), make_guard(foundations.log, states_, foundations.clock)),
      server_(options, transport_services(foundations, router_)) {}

}  // namespace pixledger::http
