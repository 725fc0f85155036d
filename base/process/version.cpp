#include "base/process/version.h"

namespace pixledger {

const char* const kReleaseVersion = PIXLEDGER_VERSION;
const char* const kUserAgent = "pixledger/" PIXLEDGER_VERSION;

}  // namespace pixledger
