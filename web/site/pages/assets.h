#pragma once

#include <string_view>

namespace pixledger::web {

// The files of web/assets/, embedded by the build.
extern const std::string_view kPayStyle;
extern const std::string_view kPayScript;
extern const std::string_view kButtonScript;

}  // namespace pixledger::web
