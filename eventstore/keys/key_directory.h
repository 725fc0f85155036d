#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace pixledger::eventstore {

// The files of a keyring.
inline constexpr const char* kMasterFile = "master.key";
// The master key that a rotation is moving to. The keyring is wrapped by this one or by the other, never by
// neither.
inline constexpr const char* kNextMasterFile = "master.key.next";
inline constexpr const char* kKeyringFile = "keyring";

// A directory of files that nobody else may read, mode 0700 with files of mode 0600, open and locked among
// the processes that use this class. Errors of the system are std::system_error; a directory or file that
// lets others in is a KeyringError.
class KeyDirectory {
 public:
  enum class Access {
    kRead,   // together with other readers
    kChange  // alone
  };

  // Makes the directory, durably; it may be there already.
  static void make(const std::filesystem::path& path);

  // Waits for those who change the directory, and with kChange for its readers too. Throws KeyringError when
  // it is not there.
  KeyDirectory(const std::filesystem::path& path, Access access);
  KeyDirectory(const KeyDirectory&) = delete;
  KeyDirectory& operator=(const KeyDirectory&) = delete;
  ~KeyDirectory();

  std::filesystem::path path_of(std::string_view name) const { return path_ / name; }

  // Nothing when there is no such file. A file longer than kFileBytesMax is a KeyringError.
  std::optional<std::string> read(const std::string& name) const;

  // These need kChange, are all or nothing in a crash, and durable on return.
  void write(const std::string& name, std::string_view bytes);
  void rename(const std::string& from, const std::string& to);

  static constexpr std::size_t kFileBytesMax = 1 << 20;

 private:
  std::filesystem::path path_;
  int descriptor_;
};

}  // namespace pixledger::eventstore
