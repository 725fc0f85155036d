#include "tools/cli/whole_errors.h"

#include <Poco/Exception.h>
#include <stdexcept>

#include "eventstore/log/log.h"
#include "stores/sql/refusal.h"

namespace pixledger::tools {

int run_with_whole_errors(const std::function<int()>& command) {
  try {
    return command();
  } catch (const std::exception& error) {
    if (stores::is_damaged_file(error) || dynamic_cast<const eventstore::LogCorrupt*>(&error))
      throw std::runtime_error(stores::text_of(error) + "; pixledger doctor says what to do");
    if (!stores::refusal_of(error) && !dynamic_cast<const Poco::Exception*>(&error)) throw;
    throw std::runtime_error(stores::text_of(error));
  }
}

}  // namespace pixledger::tools
