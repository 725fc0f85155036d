#pragma once

namespace pixledger::workers {

// What each worker's program does, from its command line to its exit code.
int webhooks_main(int argc, char** argv);
int emails_main(int argc, char** argv);
int expiry_main(int argc, char** argv);
int providers_main(int argc, char** argv);

}  // namespace pixledger::workers
