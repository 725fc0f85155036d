#pragma once

#include <filesystem>

#include "base/platform/entropy.h"
#include "http/services/checkout_links.h"

namespace pixledger::http {

// What the server of payers' pages shows itself with: a text in a file, which is made with mode 0600 where
// there is none and kept where there is, unless it lets everybody in. Throws std::runtime_error that names
// the file.
WebKey open_web_key(const std::filesystem::path& file, Entropy& entropy);

}  // namespace pixledger::http
