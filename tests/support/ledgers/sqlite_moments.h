#pragma once

#include <Poco/Data/Session.h>
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

// Acts before a statement of the session reads the file. The session must outlive it.
class WhenStatementBegins {
 public:
  WhenStatementBegins(Poco::Data::Session& session, std::function<void()> act);
  ~WhenStatementBegins();
  WhenStatementBegins(const WhenStatementBegins&) = delete;
  WhenStatementBegins& operator=(const WhenStatementBegins&) = delete;

 private:
  sqlite3* const connection_;
  std::function<void()> act_;
};

}  // namespace pixledger::tests
