#pragma once

#include <string_view>

namespace pixledger::web {

// The files of web/assets/, which the build makes part of the program.
extern const std::string_view kPayStyle;
extern const std::string_view kPayScript;
extern const std::string_view kButtonScript;

}  // namespace pixledger::web
