#include "stores/sql/sqlite_session.h"

#include <Poco/Data/SQLite/Connector.h>
#include <Poco/URI.h>
#include <string>

#include "base/platform/write_access.h"
#include "stores/sql/refused_write.h"

namespace pixledger::stores {

Poco::Data::Session open_sqlite(const std::filesystem::path& file, const char* mode) {
  Poco::Data::SQLite::Connector::registerConnector();
  watch_sqlite_writes();
  std::string path;
  Poco::URI::encode(std::filesystem::absolute(file).string(), "?#%", path);
  return {Poco::Data::SQLite::Connector::KEY, "file:" + path + "?mode=" + mode};
}

Poco::Data::Session open_sqlite_to_read(const std::filesystem::path& file) {
  const auto name = file.filename().string();
  const auto log = name + "-wal";
  const auto index = name + "-shm";
  const auto directory = file.parent_path();
  // With a log there is more than the file, and its index has to be there too.
  const bool stands_alone =
      !std::filesystem::exists(directory / log) && !may_write(directory, {log.c_str(), index.c_str()});
  return open_sqlite(file, stands_alone ? "ro&immutable=1" : "ro");
}

Poco::Data::Session open_sqlite_untouched(const std::filesystem::path& file) {
  auto log = file;
  log += "-wal";
  return open_sqlite(file, std::filesystem::exists(log) ? "ro" : "ro&immutable=1");
}

}  // namespace pixledger::stores
