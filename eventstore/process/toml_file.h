#pragma once

#include <filesystem>

namespace pixledger::eventstore {

// Whether the file can be read as TOML at all; else nothing of it counts as configuration.
bool is_toml(const std::filesystem::path& file);

}  // namespace pixledger::eventstore
