#pragma once

#include <cstddef>

namespace pixledger {

// As many as a server with all its connections and databases needs, and far more.
constexpr std::size_t kDescriptorsWanted = 65'536;

// To be called at the start of every program, before it reads anything secret. From then on nobody but root
// can look into the process, and it leaves no core file: its memory has keys and personal data in it. And it
// may open as many files and connections as its hard limit allows, kDescriptorsWanted at most; a soft limit
// of 1024, as many shells have it, is less than a server needs.
void set_process_limits();

// Raises the process' limit of open descriptors to `wanted`, the hard limit too where it may, and returns
// what it is then: less where the system allows no more. Never lowers it.
std::size_t raise_descriptor_limit(std::size_t wanted);

enum class Priority {
  kAfterServer,  // a tenth of a server's weight: leaves the processors to one that wants them
  kIdle,         // takes what processor time and disk others leave
};

// From here on for this thread and those that it starts; never raises it. It is no fault when the system does
// not grant it.
void lower_priority(Priority priority);

}  // namespace pixledger
