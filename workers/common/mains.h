#pragma once

namespace pixledger::workers {

// The workers' programs, from command line to exit code.
int webhooks_main(int argc, char** argv);
int emails_main(int argc, char** argv);
int expiry_main(int argc, char** argv);
int providers_main(int argc, char** argv);
int follow_main(int argc, char** argv);

}  // namespace pixledger::workers
