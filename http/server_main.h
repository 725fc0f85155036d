#pragma once

namespace pixledger::http {

// Runs `pixledger-server` with its command line; returns the exit code.
int server_main(int argc, char** argv);

}  // namespace pixledger::http
