#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/targets/target.h"

namespace pixledger {

inline constexpr std::string_view kTargetRule = "must be /DIR, file:///DIR or s3://BUCKET/PREFIX";

// Returns the target of a URI, without reaching for it. Throws UsageError, which repeats no secret, if the
// URI is malformed, or there are no credentials for it. `s3_credentials`: a file in AWS's form; empty: those
// of the environment.
std::unique_ptr<Target> open_target(const std::string& uri, const std::string& s3_credentials = {});

// The target of a URI, or of a directory that has a backup of `pixledger follow`; null for any other text,
// such as the directory of another backup. Throws UsageError for a malformed URI.
std::unique_ptr<Target> find_target(const std::string& text, const std::string& s3_credentials = {});

}  // namespace pixledger
