#pragma once

#include <string_view>

namespace pixledger::web {

// The dashboard as its build makes it of web/dashboard/ and makes it part of the program: the document, which
// names script and style as they are named here, after what is in them.
extern const std::string_view kDashboardDocument;
extern const std::string_view kDashboardDocumentDigest;
extern const std::string_view kDashboardScript;
extern const std::string_view kDashboardScriptPath;  // "/assets/dashboard-0123456789abcdef.js"
extern const std::string_view kDashboardStyle;
extern const std::string_view kDashboardStylePath;
// What the file to keep is made with, which verifies receipts.
extern const std::string_view kVerifierScript;
extern const std::string_view kVerifierScriptPath;

}  // namespace pixledger::web
