#pragma once

#include <Poco/Data/Session.h>
#include <filesystem>

namespace pixledger::stores {

// A SQLite file. `mode` is SQLite's: "ro", "rw", or "rwc", which makes the file where there is none. Throws
// Poco::Exception.
Poco::Data::Session open_sqlite(const std::filesystem::path& file, const char* mode);

// To read a file that others may write meanwhile, or that nobody can write: SQLite then makes no files of its
// own beside it, which is safe as long as nobody writes it. Throws as above.
Poco::Data::Session open_sqlite_to_read(const std::filesystem::path& file);

// The same for who may not leave anything beside it: without a log there nobody writes it now, and SQLite
// makes no files of its own to read it, even where it may; this process could not remove them again. Throws
// as above.
Poco::Data::Session open_sqlite_untouched(const std::filesystem::path& file);

}  // namespace pixledger::stores
