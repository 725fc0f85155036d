#pragma once

#include <Poco/Data/Session.h>
#include <functional>
#include <sqlite3.h>
#include <utility>

// Moments inside SQLite at which a test does what another process might do then.
namespace pixledger::tests {

// Before SQLite sleeps since another connection holds the lock that it wants. Of every connection that is
// opened and closed during its life.
class WhenLockIsAwaited {
 public:
  explicit WhenLockIsAwaited(std::function<void()> act);
  ~WhenLockIsAwaited();
  WhenLockIsAwaited(const WhenLockIsAwaited&) = delete;
  WhenLockIsAwaited& operator=(const WhenLockIsAwaited&) = delete;

 private:
  // The usual one but for its sleep.
  struct FileSystem : sqlite3_vfs {
    std::function<void()> act;
  };
  FileSystem file_system_;
};

// Before a statement of the session sees anything of the file. Ends before the session does.
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
