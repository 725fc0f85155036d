#pragma once

namespace pixledger {

// The version of this release, as "1.2.3". In a source of its own, so that a new version compiles one file.
extern const char* const kReleaseVersion;
extern const char* const kUserAgent;  // of requests that pixledger sends

}  // namespace pixledger
