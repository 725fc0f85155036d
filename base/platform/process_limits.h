#pragma once

#include <cstddef>

namespace pixledger {

// Far more descriptors than a server's connections and databases need.
constexpr std::size_t kDescriptorsWanted = 65'536;

// Call at the start of every program, before it reads secrets. Only root may then inspect the process, and it
// dumps no core, because its memory has keys and personal data. Raises the soft descriptor limit to the hard
// limit, at most kDescriptorsWanted: a shell's usual 1024 is too low for a server.
void set_process_limits();

// Raises the process's descriptor limit to `wanted`, and the hard limit if permitted. Returns the resulting
// limit, which may be lower. Never lowers it.
std::size_t raise_descriptor_limit(std::size_t wanted);

enum class Priority {
  kAfterServer,  // a tenth of a server's weight: yields the processors to it
  kIdle,         // only uses idle processor time and disk
};

// Applies to this thread and threads that it starts; never raises the priority. Ignores failures.
void lower_priority(Priority priority);

}  // namespace pixledger
