#pragma once

#include <functional>
#include <sqlite3.h>
#include <utility>

// Hooks inside SQLite at which a test acts like another process.
namespace pixledger::tests {

// Acts before SQLite sleeps to wait for another connection's lock. For every connection that is opened and
// closed during its life.
class WhenLockIsAwaited {
 public:
  explicit WhenLockIsAwaited(std::function<void()> act);
  ~WhenLockIsAwaited();
  WhenLockIsAwaited(const WhenLockIsAwaited&) = delete;
  WhenLockIsAwaited& operator=(const WhenLockIsAwaited&) = delete;

 private:
  // The default one except its sleep.
  struct FileSystem : sqlite3_vfs {
    std::function<void()> act;
  };
  FileSystem file_system_;
};

// Acts before a statement of a connection that is opened during its life reads the file. Only one may exist
// at a time, and the connections must be closed before it ends.
class WhenStatementBegins {
 public:
  explicit WhenStatementBegins(std::function<void()> act);
  ~WhenStatementBegins();
  WhenStatementBegins(const WhenStatementBegins&) = delete;
  WhenStatementBegins& operator=(const WhenStatementBegins&) = delete;

 private:
  static int watch(sqlite3* connection, char** error, const sqlite3_api_routines* routines);

  static WhenStatementBegins* only_;
  std::function<void()> act_;
};

}  // namespace pixledger::tests
