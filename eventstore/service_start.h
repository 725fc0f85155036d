#pragma once

#include <string>
#include <string_view>

#include "eventstore/log/ledger_log.h"
#include "eventstore/platform/data_directory.h"
#include "eventstore/process/logging.h"

namespace pixledger::eventstore {

// What a service is and works on, to tell before it begins.
struct ServiceStart {
  std::string_view program;  // "pixledger-server"
  const DataDirectory& data;
  const Log& log;
  std::string_view last_run;  // RunMark::last_run()
  std::string addresses;      // that it listens on or sends to, for people; "none" without any
};

// The line that every service's log begins with.
void log_start(Logger& logger, const ServiceStart& start);

}  // namespace pixledger::eventstore
