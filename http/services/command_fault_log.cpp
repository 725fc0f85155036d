#include "http/services/command_fault_log.h"

#include <algorithm>
#include <variant>

namespace pixledger::http {
namespace {

// Of the batch, or of its first command that was not carried out, or may not have been; empty without any.
std::string_view fault_of(const eventstore::BatchReport& report) {
  if (!report.fault.empty()) return report.fault;
  for (const auto& result : report.results) {
    if (const auto fault = eventstore::fault_of(result); !fault.empty()) return fault;
  }
  return {};
}

bool is_unknown(const eventstore::BatchReport& report) {
  return std::any_of(report.results.begin(), report.results.end(), [](const eventstore::Result& result) {
    return std::holds_alternative<eventstore::OutcomeUnknown>(result);
  });
}

}  // namespace

void CommandFaultLog::on_batch(const eventstore::BatchReport& report) {
  const auto fault = fault_of(report);
  if (is_unknown(report)) {
    if (pause_.due()) logger_.error("it is not known yet whether commands were done", {{"fault", fault}});
  } else if (!fault.empty()) {
    log_refused(fault);
  }
  next_.on_batch(report);
}

void CommandFaultLog::on_queue_full() {
  log_refused("too many commands are waiting");
  next_.on_queue_full();
}

void CommandFaultLog::log_refused(std::string_view fault) {
  if (pause_.due()) logger_.error("commands are refused, nothing of them is done", {{"fault", fault}});
}

}  // namespace pixledger::http
