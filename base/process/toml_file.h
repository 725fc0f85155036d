#pragma once

#include <filesystem>

namespace pixledger {

// Whether the file is valid TOML. If not, none of it is used.
bool is_toml(const std::filesystem::path& file);

}  // namespace pixledger
