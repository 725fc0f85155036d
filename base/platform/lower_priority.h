#pragma once

namespace pixledger {

enum class Priority {
  kAfterServer,  // a tenth of a server's weight: leaves the processors to one that wants them
  kIdle,         // takes what processor time and disk others leave
};

// From here on for this thread and those that it starts; never raises it. It is no fault when the system does
// not grant it.
void lower_priority(Priority priority);

}  // namespace pixledger
