#pragma once

#include <filesystem>
#include <functional>
#include <memory>

#include "eventstore/ledger_options.h"
#include "eventstore/service_start.h"

// Shared by the workers' mains.
namespace pixledger::workers {

using eventstore::Hangup;

// Starts a worker's log, and waits for the right to its database in `directory` while another worker holds
// it. Null if the process is asked to stop meanwhile.
std::unique_ptr<eventstore::ServiceTurn> begin_worker(Logger& logger, const eventstore::ServiceStart& start,
                                                      const std::filesystem::path& directory,
                                                      Hangup hangup = Hangup::kStops);

// Waits until the process is asked to stop. Calls `check` repeatedly; it throws if the worker has failed.
// SIGHUP calls `read_anew`; without it, SIGHUP stops the process.
void serve_until_stopped(const std::function<void()>& check, const std::function<void()>& read_anew = {});

// Runs a worker, and restarts it after each system refusal, such as a full disk. Throws std::runtime_error
// for a Poco::Exception or damage that ends the worker. Its message adds the full text and `kept`, the
// worker's database or its directory, which what() lacks.
int run_worker(const eventstore::LedgerOptions& options, const std::filesystem::path& kept,
               const std::function<int()>& worker, Hangup hangup = Hangup::kStops);

}  // namespace pixledger::workers
