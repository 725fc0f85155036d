#include "projections/sqlite_session.h"

#include <Poco/Data/SQLite/Connector.h>
#include <Poco/URI.h>
#include <string>

namespace pixledger::projections {

Poco::Data::Session open_sqlite(const std::filesystem::path& file, const char* mode) {
  Poco::Data::SQLite::Connector::registerConnector();
  std::string path;
  Poco::URI::encode(std::filesystem::absolute(file).string(), "?#%", path);
  return {Poco::Data::SQLite::Connector::KEY, "file:" + path + "?mode=" + mode};
}

}  // namespace pixledger::projections
