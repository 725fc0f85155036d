#include "tools/cli/whole_errors.h"

#include <Poco/Exception.h>
#include <stdexcept>

#include "eventstore/log/log.h"
#include "projections/storage/refusal.h"

namespace pixledger::tools {

int run_with_whole_errors(const std::function<int()>& command) {
  try {
    return command();
  } catch (const std::exception& error) {
    if (projections::is_damaged_file(error) || dynamic_cast<const eventstore::LogCorrupt*>(&error))
      throw std::runtime_error(projections::text_of(error) + "; pixledger doctor says what to do");
    if (!projections::refusal_of(error) && !dynamic_cast<const Poco::Exception*>(&error)) throw;
    throw std::runtime_error(projections::text_of(error));
  }
}

}  // namespace pixledger::tools
