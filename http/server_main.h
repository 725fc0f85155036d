#pragma once

namespace pixledger::http {

// What `pixledger-server` does, from its command line to its exit code.
int server_main(int argc, char** argv);

}  // namespace pixledger::http
