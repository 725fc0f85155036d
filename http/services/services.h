#pragma once

#include "eventstore/executor/executor.h"
#include "eventstore/keys/keyring.h"
#include "eventstore/log/log.h"
#include "eventstore/platform/clock.h"
#include "eventstore/platform/entropy.h"
#include "eventstore/reading/state_reader.h"
#include "http/metrics/metrics_page.h"
#include "http/metrics/readiness.h"
#include "http/services/channel_targets.h"
#include "http/services/command_gateway.h"
#include "http/services/delivery_records.h"
#include "http/services/long_polls.h"
#include "projections/generations/current_views.h"
#include "projections/generations/projector.h"

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
