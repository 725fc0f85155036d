#pragma once

#include <Poco/Data/Session.h>
#include <filesystem>

namespace pixledger::projections {

// A SQLite file. `mode` is SQLite's: "ro", "rw", or "rwc", which makes the file where there is none. Throws
// Poco::Exception.
Poco::Data::Session open_sqlite(const std::filesystem::path& file, const char* mode);

}  // namespace pixledger::projections
