#include "tests/support/ledgers/sqlite_moments.h"

#include <Poco/Data/SQLite/Utility.h>

namespace pixledger::tests {

WhenLockIsAwaited::WhenLockIsAwaited(std::function<void()> act)
    : file_system_{*sqlite3_vfs_find(nullptr), std::move(act)} {
  file_system_.zName = "when-lock-is-awaited";
  file_system_.xSleep = [](sqlite3_vfs* self, int microseconds) {
    static_cast<FileSystem*>(self)->act();
    return microseconds;
  };
  sqlite3_vfs_register(&file_system_, 1);
}

WhenLockIsAwaited::~WhenLockIsAwaited() { sqlite3_vfs_unregister(&file_system_); }

WhenStatementBegins::WhenStatementBegins(Poco::Data::Session& session, std::function<void()> act)
    : connection_(Poco::Data::SQLite::Utility::dbHandle(session)), act_(std::move(act)) {
  const auto begins = [](unsigned, void* self, void*, void*) {
    static_cast<WhenStatementBegins*>(self)->act_();
    return 0;
  };
  sqlite3_trace_v2(connection_, SQLITE_TRACE_STMT, begins, this);
}

WhenStatementBegins::~WhenStatementBegins() { sqlite3_trace_v2(connection_, 0, nullptr, nullptr); }

}  // namespace pixledger::tests
