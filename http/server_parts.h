#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "base/process/at_most_every.h"
#include "eventstore/executor/executor.h"
#include "eventstore/keys/key_uses.h"
#include "eventstore/reading/state_history.h"
#include "eventstore/reading/state_reader.h"
#include "eventstore/reading/stream_customers.h"
#include "http/accounts/webauthn.h"
#include "http/dispatch/command_gateway.h"
#include "http/dispatch/dispatcher.h"
#include "http/dispatch/streaming_replies.h"
#include "http/dispatch/subscriptions.h"
#include "http/dispatch/worker_pool.h"
#include "http/front/failed_authentications.h"
#include "http/front/request_log.h"
#include "http/metrics/access_metrics.h"
#include "http/metrics/charge_metrics.h"
#include "http/metrics/cluster_metrics.h"
#include "http/metrics/command_metrics.h"
#include "http/metrics/health_metrics.h"
#include "http/metrics/kept_metrics.h"
#include "http/metrics/metric_faults.h"
#include "http/metrics/metrics_page.h"
#include "http/metrics/operations_metrics.h"
#include "http/metrics/readiness.h"
#include "http/metrics/request_metrics.h"
#include "http/metrics/worker_metrics.h"
#include "http/server_app.h"
#include "http/services/account_upkeep.h"
#include "http/services/bank_presence.h"
#include "http/services/channel_targets.h"
#include "http/services/command_fault_log.h"
#include "http/services/database_watch.h"
#include "http/services/delivery_records.h"
#include "http/services/failed_requests.h"
#include "http/services/logo_digests.h"
#include "http/services/payer_refusals.h"
#include "http/services/services.h"
#include "http/services/sign_in_counts.h"
#include "http/services/sign_in_watch.h"
#include "projections/generations/erasure_keeper.h"
#include "projections/generations/generation_watch.h"
#include "projections/generations/list_saver.h"
#include "projections/generations/projector.h"
#include "stores/deliveries/webhook_composer.h"

// What the server consists of. server_app.cpp makes it and publishes its metrics.
namespace pixledger::http {

constexpr std::chrono::minutes kTellKeyUseFaultEvery{10};

// Short questions to the database of accounts. A line is an address, which may be that of a proxy with many
// people behind it.
constexpr PoolLimits kSignInPool{.threads = 2, .in_work_of_project_max = 1, .waiting_of_project_max = 256};

// What the dispatchers of both addresses work with.
using PartsWith = std::function<Dispatcher::Parts(const Router&)>;

// The metrics' own address.
struct MetricsFront {
  MetricsFront(const ServerFoundations& foundations, const HostPort& listen, const Services& services,
               const PartsWith& parts_with);

  Router router;
  Dispatcher dispatcher;
  Server server;
};

struct ServerApp::Parts {
  Parts(const ServerFoundations& foundations, const ServerOptions& options, const FrontOptions& front,
        const WebhookOptions& webhooks, const CheckoutOptions& payers);

  void add_samples(const ServerFoundations& foundations);
  ServerServices front_services(const ServerFoundations& foundations);
  Dispatcher::Parts parts_with(const Router& its_router, Logger& logger);

  MetricFaults metric_faults;
  MetricsPage page;
  AccessMetrics access_metrics;
  ChargeMetrics charge_metrics;
  CommandMetrics command_metrics;
  RefusalMetrics refusal_metrics;
  CommandFaultLog command_faults;
  Subscriptions subscriptions;
  projections::Projector projector;
  projections::ListSaver list_saver;
  projections::ErasureKeeper erasures;
  // Before the executor, which finishes what was submitted when it goes.
  CommandGateway commands;
  eventstore::Executor executor;
  eventstore::StateReader states;
  eventstore::StateHistory history;
  eventstore::StreamCustomers customers;
  const std::vector<eventstore::EndedEpoch> ended_epochs;
  Readiness readiness;
  const SystemResolver system_resolver;
  ChannelTargets targets;
  const DeliveryRecords deliveries;
  stores::WebhookComposer webhook_composer;
  BankPresence banks;
  const CheckoutLinks checkout;
  PayerRefusals payer_refusals;
  LogoDigests logos;
  FailedRequests failed_requests;
  const RelyingParty relying_party;
  FailedAuthentications failed_sign_ins{FailedAuthentications::kSignInFailuresMax};
  SignInCounts sign_in_counts;
  WorkerPool sign_in_pool{kSignInPool};
  SignInWatch sign_in_watch;
  AtMostEvery key_use_fault_due{kTellKeyUseFaultEvery};
  eventstore::KeyUseRecorder key_uses;
  Services services;
  RateLimiter rate_limiter;
  FailedAuthentications failed_authentications;
  RequestMetrics request_metrics;
  RequestLog request_log;
  Router router;
  WorkerPool pool;
  WorkerPool lookups{kLookupPool};
  WorkerPool hashing{kHashingPool};
  StreamingReplies streams;
  Dispatcher dispatcher;
  DatabaseWatch databases;
  AccountUpkeep account_upkeep;
  projections::GenerationWatch generations;
  const HealthMetrics health_metrics;
  const WorkerMetrics worker_metrics;
  const KeptMetrics kept_worker_metrics;
  const OperationsMetrics operations_metrics;
  const RedundancyWatch redundancy;
  const ClusterMetrics cluster_metrics;
  Server server;
  std::unique_ptr<MetricsFront> metrics;
};

}  // namespace pixledger::http
