#include "tests/support/ledgers/sqlite_moments.h"

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

WhenStatementBegins* WhenStatementBegins::only_ = nullptr;

WhenStatementBegins::WhenStatementBegins(std::function<void()> act) : act_(std::move(act)) {
  only_ = this;
  sqlite3_auto_extension(reinterpret_cast<void (*)()>(watch));
}

WhenStatementBegins::~WhenStatementBegins() {
  sqlite3_cancel_auto_extension(reinterpret_cast<void (*)()>(watch));
}

int WhenStatementBegins::watch(sqlite3* connection, char**, const sqlite3_api_routines*) {
  const auto begins = [](unsigned, void* self, void*, void*) {
    static_cast<WhenStatementBegins*>(self)->act_();
    return 0;
  };
  return sqlite3_trace_v2(connection, SQLITE_TRACE_STMT, begins, only_);
}

}  // namespace pixledger::tests
