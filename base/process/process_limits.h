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

}  // namespace pixledger
