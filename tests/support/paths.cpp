#include "tests/support/paths.h"

namespace pixledger::tests {

std::string source_file(std::string_view name) { return std::string(PIXLEDGER_SOURCE_DIR "/").append(name); }

std::string built_file(std::string_view name) { return std::string(PIXLEDGER_BUILD_DIR "/").append(name); }

std::string program_file(std::string_view name) { return std::string(PIXLEDGER_BIN_DIR "/").append(name); }

}  // namespace pixledger::tests
