#pragma once

#include <array>
#include <prometheus/metric_type.h>

namespace pixledger {

// Describes a metric. Only `Metrics` makes these, so a metric that takes one is in the table.
struct Metric {
  const char* name;
  prometheus::MetricType type;
  const char* help;
  std::array<const char*, 3> labels;  // their names in the order of the page; null where there are fewer

 private:
  friend struct Metrics;
  template <class... Labels>
  constexpr Metric(const char* its_name, prometheus::MetricType its_type, const char* its_help,
                   Labels... its_labels)
      : name(its_name), type(its_type), help(its_help), labels{its_labels...} {}
};

// All metrics of pixledger-server and pixledger-web. `scripts/docs --reference` makes
// docs/reference/metrics.md from this table: a comment right above a metric continues its help text, every
// other comment is text of the page.
struct Metrics {
 private:
  static constexpr auto kCounter = prometheus::MetricType::Counter;
  static constexpr auto kGauge = prometheus::MetricType::Gauge;
  static constexpr auto kHistogram = prometheus::MetricType::Histogram;

 public:
  // # Metrics
  //
  // `GET /metrics` of the server answers in Prometheus' text format: on the address of the API, or
  // with `--metrics-listen` only on an address of its own. The server reads the workers' databases, so
  // one page covers a whole data directory.
  //
  // - Names and labels are stable: they are added, never renamed.
  // - A metric that cannot be read at the moment has no sample, which is a sign by itself.
  // - Times are seconds, sizes are bytes.

  // ## Health

  // 0 otherwise.
  static constexpr Metric kReady{"pixledger_ready", kGauge, "1 when /readyz says 200"};
  // A failed batch counts for ten seconds. 1 otherwise.
  static constexpr Metric kLedgerTakesCommands{
      "pixledger_ledger_takes_commands", kGauge,
      "0 while the clock is not trusted or writes are stopped, and after a batch of commands failed"};
  // Always 1.
  static constexpr Metric kBuildInfo{"pixledger_build_info", kGauge, "What is running", "version"};
  static constexpr Metric kProcessStartTimeSeconds{"process_start_time_seconds", kGauge,
                                                   "When the server started, as a Unix time"};
  static constexpr Metric kProcessCpuSecondsTotal{"process_cpu_seconds_total", kCounter,
                                                  "Processor time that the server has used"};
  // Mapped pages of the databases count while they are cached.
  static constexpr Metric kProcessResidentMemoryBytes{"process_resident_memory_bytes", kGauge,
                                                      "Memory that the server has in use"};
  static constexpr Metric kProcessOpenFds{"process_open_fds", kGauge,
                                          "Open files and connections of the server"};
  // The limit of open files and connections.
  static constexpr Metric kProcessMaxFds{"process_max_fds", kGauge, "The most it may have"};
  static constexpr Metric kDiskBytes{"pixledger_disk_bytes", kGauge,
                                     "Size of the file system that holds the data directory"};
  // Free bytes of the file system of `pixledger_disk_bytes`.
  static constexpr Metric kDiskFreeBytes{"pixledger_disk_free_bytes", kGauge,
                                         "What is left of it for the server"};

  // ## Requests

  static constexpr Metric kHttpRequestsTotal{"pixledger_http_requests_total",
                                             kCounter,
                                             "Requests by method, route and status",
                                             "method",
                                             "route",
                                             "code"};
  static constexpr Metric kHttpRequestDurationSeconds{
      "pixledger_http_request_duration_seconds", kHistogram,
      "Time from a request's arrival as a whole to its answer", "method", "route"};
  static constexpr Metric kHttpRequestsInFlight{"pixledger_http_requests_in_flight", kGauge,
                                                "Requests that are being answered"};
  static constexpr Metric kHttpConnections{"pixledger_http_connections", kGauge, "Open connections"};
  static constexpr Metric kHttpRefusedConnectionsTotal{"pixledger_http_refused_connections_total", kCounter,
                                                       "Connections refused because there were too many"};
  // `kind`: newcomer (refused; `pixledger_http_refused_connections_total` counts it too), or ended to make
  // room for a new connection: slow_request (arriving for over a second), slow_reader, idle.
  static constexpr Metric kHttpConnectionsEndedTotal{
      "pixledger_http_connections_ended_total", kCounter,
      "Connections that were refused or ended for want of room", "kind"};
  static constexpr Metric kHttpReplyBytes{"pixledger_http_reply_bytes", kGauge,
                                          "Bytes of large replies (over 16 KiB) that are being sent"};
  // The limits are 64 MiB in total and 16 MiB to one address.
  static constexpr Metric kHttpRefusedRepliesTotal{
      "pixledger_http_refused_replies_total", kCounter,
      "Replies refused because too many large ones are being sent"};
  static constexpr Metric kHttpWaitingRequests{"pixledger_http_waiting_requests", kGauge,
                                               "Requests that wait until others of their project are done"};
  static constexpr Metric kHttpRefusedTurnsTotal{
      "pixledger_http_refused_turns_total", kCounter,
      "Requests refused because their project has too many in work"};
  static constexpr Metric kHttpUnloggedErrorsTotal{
      "pixledger_http_unlogged_errors_total", kCounter,
      "Refused requests that were not logged, being too many a second"};
  static constexpr Metric kHttpLongPolls{"pixledger_http_long_polls", kGauge,
                                         "Requests and streams that wait for events"};
  // `key`: live (users too), test.
  static constexpr Metric kRateLimitedRequestsTotal{
      "pixledger_rate_limited_requests_total", kCounter,
      "Requests refused because their API key sent too many, by the kind of key", "key"};
  // Requests without a valid sign-in count too.
  static constexpr Metric kFailedAuthenticationsTotal{"pixledger_failed_authentications_total", kCounter,
                                                      "Requests without a valid API key"};
  static constexpr Metric kLimitedFailedAuthenticationsTotal{
      "pixledger_limited_failed_authentications_total", kCounter,
      "Requests without a valid API key from an address that had too many of them, answered 429"};
  // `result`: made, failed, limited (not checked, since the address or the account had too many failures).
  static constexpr Metric kSignInsTotal{
      "pixledger_sign_ins_total", kCounter,
      "Attempts of people to sign in, or to confirm who they are, by what came of them", "result"};

  // Of the server; workers log what they drop. `outcome`: sent (the collector of `--otlp-endpoint` took
  // them), dropped (it did not, or too many were waiting).
  static constexpr Metric kOtlpSpansTotal{"pixledger_otlp_spans_total", kCounter,
                                          "Spans of traces by what came of them", "outcome"};

  // ## Writing

  // `outcome`: done, flagged, rejected, replayed, key_reused, key_in_flight, unavailable (nothing was done),
  // unknown (it may have been done), queue_full.
  static constexpr Metric kCommandsTotal{"pixledger_commands_total", kCounter,
                                         "Commands by what they came to", "outcome"};
  static constexpr Metric kRecordedEventsTotal{"pixledger_recorded_events_total", kCounter,
                                               "Events that this server recorded"};
  // Events of other processes and nodes count too.
  static constexpr Metric kLedgerEvents{"pixledger_ledger_events", kGauge, "Events in the ledger"};
  static constexpr Metric kIdempotentReplaysTotal{
      "pixledger_idempotent_replays_total", kCounter,
      "Commands answered from the record of an earlier one with the same key"};
  // `environment`: live, sandbox.
  static constexpr Metric kRefusalsNotRecordedTotal{
      "pixledger_refusals_not_recorded_total", kCounter,
      "Creations refused to a blocked payer that left no event, since the payer has had enough of them",
      "environment"};
  // `environment`: live, sandbox.
  static constexpr Metric kUnappliedPayments{
      "pixledger_unapplied_payments", kGauge,
      "Payments that arrived, could not be applied and are not settled", "environment"};
  // `connection`: the id of the connection on whose key they arrived. No sample for a connection without
  // such payments.
  static constexpr Metric kUnmatchedPayments{
      "pixledger_unmatched_payments", kGauge,
      "Payments that arrived on the connection, fit no charge and are not settled", "connection"};
  static constexpr Metric kExecutorWaitingCommands{"pixledger_executor_waiting_commands", kGauge,
                                                   "Commands in the executor's queue"};
  static constexpr Metric kBatchCommands{"pixledger_batch_commands", kHistogram, "Commands in one batch"};
  static constexpr Metric kBatchLeftWaitingCommands{"pixledger_batch_left_waiting_commands", kHistogram,
                                                    "Commands left in the queue when a batch was taken"};
  static constexpr Metric kBatchDurationSeconds{
      "pixledger_batch_duration_seconds", kHistogram,
      "Time of a whole batch, waiting for the exclusive write included"};
  static constexpr Metric kCommitDurationSeconds{"pixledger_commit_duration_seconds", kHistogram,
                                                 "Time of a commit, fsync included"};
  static constexpr Metric kFailedBatchesTotal{
      "pixledger_failed_batches_total", kCounter,
      "Batches of commands of which nothing was done because of a fault"};
  // Charges of all processes and nodes count. `environment`: live, sandbox. `event`: created, paid, refunded
  // (each refund, partial ones too), expired, cancelled, failed.
  static constexpr Metric kChargesTotal{"pixledger_charges_total", kCounter,
                                        "What has happened to charges since the server started",
                                        "environment", "event"};

  // ## Nodes of a shared ledger
  //
  // Only on a ledger that machines share.

  static constexpr Metric kClusterTurnWaitSeconds{
      "pixledger_cluster_turn_wait_seconds", kHistogram,
      "How long writes of this server waited for their turn among all nodes"};
  static constexpr Metric kClusterCopyLagEvents{
      "pixledger_cluster_copy_lag_events", kGauge,
      "Events of the ledger that this node's copy did not have when it last looked"};
  static constexpr Metric kClusterUnknownCommitsTotal{
      "pixledger_cluster_unknown_commits_total", kCounter,
      "Commits of this server that were answered 503 as nobody could tell what they came to"};
  // Writes are refused meanwhile.
  static constexpr Metric kClusterLostHistories{
      "pixledger_cluster_lost_histories", kGauge,
      "Losses of acknowledged commits in PostgreSQL that no operator has accepted"};
  // Checked four times a minute.
  static constexpr Metric kClusterMissingHosts{"pixledger_cluster_missing_hosts", kGauge,
                                               "Hosts of the ledger's URI that do not answer"};
  // Expected is one for each further host, and those that commits wait for.
  static constexpr Metric kClusterMissingStandbys{
      "pixledger_cluster_missing_standbys", kGauge,
      "Standbys of PostgreSQL that there should be and that do not follow"};
  // `worker`: webhooks, emails, expiry, providers.
  static constexpr Metric kClusterLease{"pixledger_cluster_lease", kGauge,
                                        "1 while this node's worker is the one of its kind that is at work",
                                        "worker"};

  // ## Read models

  static constexpr Metric kProjectionLagEvents{"pixledger_projection_lag_events", kGauge,
                                               "Events of the ledger that the read models do not show yet"};
  // `/readyz` says why.
  static constexpr Metric kProjectionFaulted{"pixledger_projection_faulted", kGauge,
                                             "1 while the read models cannot follow the ledger"};
  static constexpr Metric kViewsGeneration{"pixledger_views_generation", kGauge,
                                           "Number of the generation of read models in use"};
  // `pixledger projections rebuild` makes them.
  static constexpr Metric kViewsAdoptionsTotal{"pixledger_views_adoptions_total", kCounter,
                                               "Generations adopted since the server started"};
  // They stay in `views/kept-…` until an operator removes them.
  static constexpr Metric kViewsKept{
      "pixledger_views_kept", kGauge,
      "Generations that disagreed with the ledger and are kept for examination"};
  static constexpr Metric kListColumnBytes{"pixledger_list_column_bytes", kGauge,
                                           "Memory of the transaction lists, text left out"};
  static constexpr Metric kListTextBytes{"pixledger_list_text_bytes", kGauge,
                                         "Memory of the texts that the transaction lists search"};

  // ## LMDB databases
  //
  // `store`: ledger, views.

  // Set by `--map-size`.
  static constexpr Metric kLmdbMapBytes{"pixledger_lmdb_map_bytes", kGauge,
                                        "The most that the environment can hold", "store"};
  static constexpr Metric kLmdbUsedBytes{"pixledger_lmdb_used_bytes", kGauge,
                                         "Pages of the map that were ever used", "store"};
  static constexpr Metric kLmdbFileBytes{"pixledger_lmdb_file_bytes", kGauge, "Size of the data file",
                                         "store"};
  static constexpr Metric kLmdbReaderSlots{"pixledger_lmdb_reader_slots", kGauge,
                                           "Taken places in the table of readers", "store"};
  static constexpr Metric kLmdbReaders{"pixledger_lmdb_readers", kGauge,
                                       "Snapshots that are being read, in all processes", "store"};
  static constexpr Metric kLmdbOldestReaderLagTransactions{
      "pixledger_lmdb_oldest_reader_lag_transactions", kGauge,
      "How many transactions the oldest reader's snapshot is behind the newest", "store"};
  // The database grows meanwhile.
  static constexpr Metric kLmdbOldestReaderAgeSeconds{
      "pixledger_lmdb_oldest_reader_age_seconds", kGauge,
      "For how long the oldest reader has held a snapshot that is not the newest", "store"};

  // ## Payers' pages and dashboard
  //
  // `pixledger-web` serves these at its own `/metrics`: on each of its addresses, or with
  // `--web-metrics-listen` only on that one. Metrics with `dashboard` in their name need a dashboard.
  // Without payers' pages only those remain, with the `requests`, `changes` and `build_info` ones.

  // The route has `:token` where the link has its secret.
  static constexpr Metric kWebRequestsTotal{"pixledger_web_requests_total", kCounter,
                                            "Requests by route and status", "route", "code"};
  static constexpr Metric kWebRequestDurationSeconds{
      "pixledger_web_request_duration_seconds", kHistogram,
      "Time from a request's arrival as a whole to its answer"};
  static constexpr Metric kWebRequestsInFlight{"pixledger_web_requests_in_flight", kGauge,
                                               "Requests that are being answered"};
  static constexpr Metric kWebConnections{"pixledger_web_connections", kGauge, "Open connections"};
  static constexpr Metric kWebRefusedConnectionsTotal{"pixledger_web_refused_connections_total", kCounter,
                                                      "Connections refused because there were too many"};
  static constexpr Metric kWebStreams{"pixledger_web_streams", kGauge, "Pages that are told of changes"};
  static constexpr Metric kWebCutStreamsTotal{"pixledger_web_cut_streams_total", kCounter,
                                              "Streams that nobody read, and which were cut"};
  static constexpr Metric kWebChangesOpen{"pixledger_web_changes_open", kGauge,
                                          "1 while the API tells of changes"};
  static constexpr Metric kWebChangesOpenedTotal{"pixledger_web_changes_opened_total", kCounter,
                                                 "How often the API's stream of changes was opened"};
  // Once three quarters of all connections are streams, the network with the most streams loses its oldest.
  static constexpr Metric kWebYieldedStreamsTotal{"pixledger_web_yielded_streams_total", kCounter,
                                                  "Streams that ended so that others could begin"};
  // `limit`: token_requests and token_streams (of one link or address), address_requests (at a time),
  // address_unknown, cross_site (posts from pages of other sites).
  static constexpr Metric kWebRefusedTotal{"pixledger_web_refused_total", kCounter,
                                           "Requests that were refused for their limit", "limit"};
  static constexpr Metric kWebUnknownTokensTotal{"pixledger_web_unknown_tokens_total", kCounter,
                                                 "Requests for sessions that do not exist"};
  // `result`: answered, unanswered (no connection, a broken one, or no answer in time), crowded_out.
  static constexpr Metric kWebApiRequestsTotal{"pixledger_web_api_requests_total", kCounter,
                                               "What came of requests to the API", "result"};
  static constexpr Metric kWebApiSecondsTotal{
      "pixledger_web_api_seconds_total", kCounter,
      "Time that answered requests to the API took, waiting included"};
  static constexpr Metric kWebApiWaiting{"pixledger_web_api_waiting", kGauge,
                                         "Requests that wait for the API"};
  static constexpr Metric kWebDashboardConnections{"pixledger_web_dashboard_connections", kGauge,
                                                   "Open connections to the dashboard"};
  static constexpr Metric kWebDashboardRefusedConnectionsTotal{
      "pixledger_web_dashboard_refused_connections_total", kCounter,
      "Connections to the dashboard refused because there were too many"};
  // Events, exports and long lists.
  static constexpr Metric kWebDashboardStreams{"pixledger_web_dashboard_streams", kGauge,
                                               "Answers that are passed on as they come"};
  static constexpr Metric kWebDashboardCutStreamsTotal{
      "pixledger_web_dashboard_cut_streams_total", kCounter,
      "Answers that broke off, or fell silent, while they were passed on"};
  static constexpr Metric kWebDashboardApiWaiting{"pixledger_web_dashboard_api_waiting", kGauge,
                                                  "Requests of the dashboard that wait for the API"};
  // `result`: answered, unanswered (no connection, a broken one, or no answer in time), crowded_out,
  // over_share (the user or project has reached its share), yielded (ended for another project), abandoned
  // (the caller went away).
  static constexpr Metric kWebDashboardApiRequestsTotal{
      "pixledger_web_dashboard_api_requests_total", kCounter,
      "What came of requests that the dashboard passed on to the API", "result"};
  // `limit`: cross_site (requests from other sites), address_requests, address_streams, sign_in_requests,
  // sign_in_streams, user_requests.
  static constexpr Metric kWebDashboardRefusedTotal{"pixledger_web_dashboard_refused_total", kCounter,
                                                    "Requests that the dashboard refused itself", "limit"};
  // Always 1.
  static constexpr Metric kWebBuildInfo{"pixledger_web_build_info", kGauge, "What is running", "version"};

  // ## Workers
  //
  // `worker`: webhooks, emails, expiry, providers. A worker that never ran on this data directory has
  // no sample.
  //
  // On a ledger that machines share, each node reports its webhooks and e-mails: take the maximum over
  // the nodes, not the sum. Each node reads PostgreSQL every five seconds and reports what it read
  // last; what it cannot read has no sample.

  // For webhooks and e-mails of a shared ledger: 1 while one on any machine has the right to be at work.
  static constexpr Metric kWorkerRunning{"pixledger_worker_running", kGauge,
                                         "1 while a process holds the worker's lock", "worker"};
  // No sample when its cursor is of another ledger or epoch.
  static constexpr Metric kWorkerLagEvents{"pixledger_worker_lag_events", kGauge,
                                           "Events of the ledger that the worker has not read yet", "worker"};
  // 0 when it has read all.
  static constexpr Metric kWorkerOldestUnreadAgeSeconds{
      "pixledger_worker_oldest_unread_age_seconds", kGauge,
      "Age of the oldest event that the worker has not read yet", "worker"};
  static constexpr Metric kDeliveriesPending{"pixledger_deliveries_pending", kGauge,
                                             "Deliveries that have neither succeeded nor been given up"};
  // 0 without any.
  static constexpr Metric kDeliveriesOldestPendingAgeSeconds{
      "pixledger_deliveries_oldest_pending_age_seconds", kGauge,
      "Age of the oldest pending delivery, since its event"};
  // More than a few seconds means that the worker does not keep up.
  static constexpr Metric kDeliveriesOverdueSeconds{
      "pixledger_deliveries_overdue_seconds", kGauge,
      "For how long the delivery that is due the longest has been due"};
  // `outcome`: delivered, refused (any other answer), unreachable (no answer).
  static constexpr Metric kWebhookAttemptsTotal{"pixledger_webhook_attempts_total", kCounter,
                                                "Attempts to deliver a webhook, by what they came to",
                                                "outcome"};
  static constexpr Metric kFailingChannels{"pixledger_failing_channels", kGauge,
                                           "Channels with webhooks pending whose last attempt failed"};
  // Of `pixledger_failing_channels`; 0 without any.
  static constexpr Metric kLongestFailingChannelSeconds{
      "pixledger_longest_failing_channel_seconds", kGauge,
      "For how long the one that fails the longest has had nothing but failures"};
  static constexpr Metric kEmailsUnsent{"pixledger_emails_unsent", kGauge,
                                        "E-mails that are neither sent nor given up"};
  // 0 without any.
  static constexpr Metric kEmailsOldestUnsentAgeSeconds{"pixledger_emails_oldest_unsent_age_seconds", kGauge,
                                                        "Age of the oldest unsent e-mail, since its payment"};
  static constexpr Metric kEmailsGivenUp{"pixledger_emails_given_up", kGauge,
                                         "E-mails that were refused for good, or failed at every attempt"};
  // The share is 100 for a project and 10 for a recipient.
  static constexpr Metric kSandboxMailsCappedTotal{
      "pixledger_sandbox_mails_capped_total", kCounter,
      "E-mails of the sandbox that were not sent, since their project or recipient had its share of the day"};
  static constexpr Metric kExpiredChargesWaiting{
      "pixledger_expired_charges_waiting", kGauge,
      "Charges past their expiry that are not recorded as expired yet, at most 10,000"};
  // Of `pixledger_expired_charges_waiting`; 0 without any.
  static constexpr Metric kExpiredChargesOldestAgeSeconds{
      "pixledger_expired_charges_oldest_age_seconds", kGauge,
      "For how long the oldest of them has been past its expiry"};

  // ## Banks
  //
  // `connection`: the id of a connection to a bank. The providers' worker keeps these in its database,
  // at most a second old.

  // `operation`: token, put_cob, get_cob, remove_cob, list_pix, get_pix, put_refund, get_refund, and those
  // of callbacks. `outcome`: done, not_found, duplicate, refused, unknown (it may have been done),
  // unavailable, unusable.
  static constexpr Metric kProviderRequestsTotal{"pixledger_provider_requests_total",
                                                 kCounter,
                                                 "Requests to banks, by what was asked and what it came to",
                                                 "connection",
                                                 "operation",
                                                 "outcome"};
  // The wait for the connection's rate is not included.
  static constexpr Metric kProviderRequestDurationSeconds{
      "pixledger_provider_request_duration_seconds", kHistogram,
      "From the beginning of a request to a bank to its end", "connection"};
  // Charges are created without waiting for it.
  static constexpr Metric kProviderBreakerOpen{
      "pixledger_provider_breaker_open", kGauge,
      "1 while the bank does not work and is left alone but for probes", "connection"};
  // `kind`: dynamic, static, none (the charge failed).
  static constexpr Metric kProviderCodesTotal{
      "pixledger_provider_codes_total", kCounter,
      "Charges by their code: dynamic (the bank's), static (on the Pix key), none", "connection", "kind"};
  // Counted from the last complete look at the account, or from when the connection was added.
  static constexpr Metric kProviderPollAgeSeconds{"pixledger_provider_poll_age_seconds", kGauge,
                                                  "For how long it is not known what was paid to the account",
                                                  "connection"};
  // `result`: stored, empty (names no payment), or refused: not_found, wrong_method, wrong_certificate,
  // too_large, no_json, no_room (10,000 payments wait to be read, or there are too many callers), fault,
  // no_certificate, broken_off. `connection` is `none` where the caller named no connection, as always with
  // the last two.
  static constexpr Metric kProviderCallbacksTotal{"pixledger_provider_callbacks_total", kCounter,
                                                  "Callbacks by what became of them", "connection", "result"};
  // Each is counted once, and again after a restart of the worker. Values of `kind` are listed below.
  static constexpr Metric kProviderMisfitsTotal{"pixledger_provider_misfits_total", kCounter,
                                                "What banks show and the ledger has otherwise or cannot take",
                                                "connection", "kind"};
  // `kind`: code, cancel, refund, removal (of a code that is not to be paid any more), send_back (of a
  // payment that paid nothing), callback (payments that callbacks named), future (payments whose time is
  // still to come), refused (payments that were not taken, or a return of which was not, and those left to
  // another project for an hour). No sample for a kind without any.
  static constexpr Metric kProviderOpenWork{"pixledger_provider_open_work", kGauge,
                                            "What is still to be asked of the bank", "connection", "kind"};
  // `kind` as in `pixledger_provider_open_work`.
  static constexpr Metric kProviderOpenWorkOldestSeconds{
      "pixledger_provider_open_work_oldest_seconds", kGauge, "For how long the oldest of it has been open",
      "connection", "kind"};
  // `back`: 100d, 24h, 15m (by `--polls`). 0 while the look is in time.
  static constexpr Metric kProviderUnreadSeconds{
      "pixledger_provider_unread_seconds", kGauge,
      "For how long the look that goes so far back is overdue, or was never whole", "connection", "back"};
  // `reason`: before_connection (by the bank's time and by the end-to-end id more than an hour before the
  // connection was added). Each is counted once as long as the worker runs.
  static constexpr Metric kProviderLeftAsideTotal{
      "pixledger_provider_left_aside_total", kCounter,
      "Payments to the connection's key that are none of its business, by why", "connection", "reason"};
  // It shrinks when the bank refuses a longer time or fails at it. No sample where the bank takes any
  // length.
  static constexpr Metric kProviderWindowSeconds{
      "pixledger_provider_window_seconds", kGauge,
      "How much of its account the bank is asked about at a time at most", "connection"};
  // Taken from the `Date` of its answers, otherwise from the time that it gives a new charge.
  static constexpr Metric kProviderClockSkewSeconds{
      "pixledger_provider_clock_skew_seconds", kGauge,
      "By how much the bank's clock is ahead of this machine's, about a second's worth", "connection"};
  // No sample where the bank asks for no certificate.
  static constexpr Metric kProviderCertificateEndTimeSeconds{
      "pixledger_provider_certificate_end_time_seconds", kGauge,
      "When the client's certificate ends, as a Unix time", "connection"};

  // ## Payments that do not fit
  //
  // `kind` of `pixledger_provider_misfits_total`:
  //
  // - told_otherwise: an operator reported the payment with another amount or time
  // - other_key: the payment is on another key
  // - refused_payment: the ledger cannot take the payment
  // - payment_before_charge: its time is before its charge was made; it is taken
  // - unreadable_time: it has no readable time; it is taken
  // - unreadable_payment: counted again each day while looks find it
  // - missing_payments: the bank says that it has more payments than it shows
  // - payment_ahead: its time is over five minutes ahead of this machine's clock
  // - goes_back_elsewhere: it is returned by another project that shares the account
  // - refused_return, unreadable_return, double_return, return_after_failure: returns
  // - no_txid: the account lists payments without txid: five of them, or one whose txid was found
  //   elsewhere
  // - long_pages: a page shows more payments than were asked for
  // - uncounted_pages: the bank does not say how many payments there are; counted each day
  // - unread_list: the bank shows payments beside `pix`, which are not read; counted each day
  // - denied_return: the bank answered 401 or 403 to a return

  // ## Backups and verifications
  //
  // `pixledger backup` and `pixledger verify` write these to `operations.json` in the data directory
  // when they end.

  static constexpr Metric kLastBackupTimestampSeconds{
      "pixledger_last_backup_timestamp_seconds", kGauge,
      "When the last backup that succeeded ended, as a Unix time; 0 before the first"};
  static constexpr Metric kLastVerifyTimestampSeconds{
      "pixledger_last_verify_timestamp_seconds", kGauge,
      "When the last verification ended, as a Unix time; 0 before the first"};
  // No sample before the first.
  static constexpr Metric kLastVerifyResult{
      "pixledger_last_verify_result", kGauge,
      "1 when the last verification found all sound, 0 when it did not"};

  // ## Targets of `pixledger follow`
  //
  // `target`: its name. No sample where nothing follows.

  // 0 also while no follower is at work.
  static constexpr Metric kFollowUp{"pixledger_follow_up", kGauge,
                                    "1 while the last copy to the target succeeded", "target"};
  static constexpr Metric kFollowPosition{"pixledger_follow_position", kGauge,
                                          "Position up to which the target has all events", "target"};
  static constexpr Metric kFollowLagEvents{"pixledger_follow_lag_events", kGauge,
                                           "Events of the ledger that the target does not have yet",
                                           "target"};
  // 0 when it has all.
  static constexpr Metric kFollowLagSeconds{"pixledger_follow_lag_seconds", kGauge,
                                            "Age of the oldest event that the target does not have yet",
                                            "target"};
  // `reason`: unreachable, refused, foreign, newer, full, fenced, other.
  static constexpr Metric kFollowFailuresTotal{"pixledger_follow_failures_total", kCounter,
                                               "Failed copies since the follower started", "target",
                                               "reason"};
  static constexpr Metric kFollowErasuresPending{
      "pixledger_follow_erasures_pending", kGauge,
      "Customers erased from the ledger whose personal data the target may still have", "target"};

  // ## Several machines
  //
  // The servers of nodes that share a ledger report the same numbers about it, each for itself:
  //
  // - `pixledger_ledger_events`, `pixledger_unapplied_payments`, `pixledger_unmatched_payments`,
  //   `pixledger_charges_total`
  // - `pixledger_deliveries_…`, `pixledger_webhook_attempts_total`, `pixledger_failing_channels`,
  //   `pixledger_longest_failing_channel_seconds`
  // - `pixledger_emails_…`, `pixledger_sandbox_mails_capped_total`
  // - `pixledger_expired_charges_…`, and `pixledger_worker_…` of webhooks and e-mails
  //
  // A sum over instances counts these once for each node: take `max`, or `max by (LABEL)` of their
  // labels, as the dashboard does. All other metrics are of one process or its machine, and add up.
  // Where one Prometheus scrapes several ledgers, give each a `job` of its own.
  //
  // Alerts look at each instance by itself, so an alert about the ledger fires once for each node:
  // have Alertmanager group by `alertname` and `job`.
};

}  // namespace pixledger
