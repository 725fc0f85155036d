#pragma once

#include <string_view>

namespace pixledger::web {

// The built files of web/dashboard/, embedded by the build. The document refers to script and style by these
// paths, which contain their digests.
extern const std::string_view kDashboardDocument;
extern const std::string_view kDashboardDocumentDigest;
extern const std::string_view kDashboardScript;
extern const std::string_view kDashboardScriptPath;  // "/assets/dashboard-0123456789abcdef.js"
extern const std::string_view kDashboardStyle;
extern const std::string_view kDashboardStylePath;
// The script that verifies receipts, embedded in the file that users keep.
extern const std::string_view kVerifierScript;
extern const std::string_view kVerifierScriptPath;

}  // namespace pixledger::web
