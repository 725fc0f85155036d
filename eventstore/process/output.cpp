#include "eventstore/process/output.h"

#include <iostream>
#include <poll.h>
#include <unistd.h>

namespace pixledger::eventstore {

bool somebody_reads_output() {
  pollfd output{STDOUT_FILENO, 0, 0};
  return ::poll(&output, 1, 0) <= 0 || (output.revents & (POLLERR | POLLNVAL)) == 0;
}

void flush_output() {
  if (std::cout.flush()) return;
  if (!somebody_reads_output()) throw ReaderGone();
  throw std::runtime_error("the output could not be written");
}

}  // namespace pixledger::eventstore
