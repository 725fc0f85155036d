#include "http/services/command_fault_log.h"

#include <variant>

namespace pixledger::http {
namespace {

// Of the batch, or of its first command that could not be carried out; empty without any.
std::string_view fault_of(const eventstore::BatchReport& report) {
  if (!report.fault.empty()) return report.fault;
  for (const auto& result : report.results) {
    if (const auto* unavailable = std::get_if<eventstore::Unavailable>(&result)) return unavailable->reason;
  }
  return {};
}

}  // namespace

void CommandFaultLog::on_batch(const eventstore::BatchReport& report) {
  const auto fault = fault_of(report);
  if (!fault.empty()) log(fault);
  next_.on_batch(report);
}

void CommandFaultLog::on_queue_full() {
  log("too many commands are waiting");
  next_.on_queue_full();
}

void CommandFaultLog::log(std::string_view fault) {
  if (pause_.due()) logger_.error("commands are refused, nothing of them is done", {{"fault", fault}});
}

}  // namespace pixledger::http
