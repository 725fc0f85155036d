#pragma once

#include "eventstore/clock.h"
#include "eventstore/entropy.h"
#include "eventstore/executor.h"
#include "eventstore/keyring.h"
#include "eventstore/log.h"
#include "eventstore/state_reader.h"
#include "http/channel_targets.h"
#include "http/command_gateway.h"
#include "http/delivery_records.h"
#include "http/long_polls.h"
#include "http/metrics_page.h"
#include "http/readiness.h"
#include "projections/current_views.h"
#include "projections/projector.h"

namespace pixledger::http {

// What the endpoints work on. Everything is thread-safe and outlives the router.
struct Services {
  const eventstore::Log& log;
  const eventstore::Keyring& keyring;
  const eventstore::Clock& clock;
  eventstore::StateReader& states;
  const projections::CurrentViews& views;
  projections::Projector& projector;
  CommandGateway& commands;
  Readiness& readiness;
  LongPolls& long_polls;
  const MetricsPage& metrics;
  eventstore::Entropy& entropy;
  ChannelTargets& targets;
  const DeliveryRecords& deliveries;
};

}  // namespace pixledger::http
