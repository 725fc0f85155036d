#pragma once

#include <memory>

#include "eventstore/clock.h"
#include "eventstore/entropy.h"
#include "eventstore/executor.h"
#include "eventstore/keyring.h"
#include "eventstore/log.h"
#include "eventstore/process/logging.h"
#include "http/router.h"
#include "http/server.h"
#include "http/services.h"
#include "projections/generation.h"
#include "projections/list_saver.h"
#include "projections/projector.h"

namespace pixledger::http {

// What the server stands on; outlives it.
struct ServerFoundations {
  eventstore::Log& log;
  const eventstore::Keyring& keyring;
  const eventstore::Clock& clock;
  eventstore::Entropy& entropy;
  projections::ViewStore& views;
  eventstore::Logger& logger;
};

// The API server, wired: executor, projector, routing table and transport. Listens once it is made.
class ServerApp {
 public:
  ServerApp(const ServerFoundations& foundations, const ServerOptions& options);

  // Accepts requests from here on.
  void start() { server_.start(); }
  // Finishes what is running, within `grace`.
  void stop(std::chrono::milliseconds grace) { server_.stop(grace); }
  std::uint16_t port() const { return server_.port(); }
  const std::vector<Route>& routes() const { return router_.routes(); }

 private:
  projections::Projector projector_;
  projections::ListSaver list_saver_;
  eventstore::Executor executor_;
  eventstore::StateReader states_;
  CommandGateway commands_;
  Services services_;
  Router router_;
  Server server_;
};

}  // namespace pixledger::http
