#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/platform/clock_and_entropy.h"
#include "base/platform/descriptor.h"
#include "base/values/timestamp.h"
#include "eventstore/keys/aes_gcm.h"

namespace pixledger::eventstore {

// Keys are missing, readable by others, damaged, or not those that something was sealed with. what() names
// the file and says what to do.
class KeyringError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The files of a keyring.
inline constexpr const char* kMasterFile = "master.key";
// The master key that a rotation is moving to. The keyring is always wrapped by one of the two.
inline constexpr const char* kNextMasterFile = "master.key.next";
inline constexpr const char* kKeyringFile = "keyring";

// A private directory, mode 0700 with files of mode 0600, open and locked among the processes that use this
// class. Errors of the system are std::system_error; wider permissions are a KeyringError.
class KeyDirectory {
 public:
  enum class Access {
    kRead,   // shared with other readers
    kChange  // exclusive
  };

  // Makes the directory, durably, unless it exists.
  static void make(const std::filesystem::path& path);

  // Waits for processes that change the directory, and with kChange for its readers, too. Throws KeyringError
  // if the directory is missing.
  KeyDirectory(const std::filesystem::path& path, Access access);

  std::filesystem::path path_of(std::string_view name) const { return path_ / name; }

  // Returns nullopt if there is no such file. A file longer than kFileBytesMax is a KeyringError.
  std::optional<std::string> read(const std::string& name) const;

  // These need kChange, are all or nothing in a crash, and durable on return.
  void write(const std::string& name, std::string_view bytes);
  void rename(const std::string& from, const std::string& to);

  static constexpr std::size_t kFileBytesMax = 1 << 20;

 private:
  std::filesystem::path path_;
  Descriptor descriptor_;
};

// The bytes of the file DATA/keys/keyring, frozen. Lines that end with a line feed:
//
//   pixledger keyring 1
//   <id> <kind> <created at> <wrapped>       a line for each key, the oldest first
//   end <code>
//
// id          16 lower-case hex characters
// kind        "data" (seals secrets), "hmac" (makes names of documents) or "sign" (signs checkpoints). A
//             release that meets another kind refuses the file, as it refuses another number in the first
//             line
// created at  milliseconds since 1970-01-01T00:00:00Z
// wrapped     in lower-case hex: 12 bytes of nonce, then 32 bytes of key and 16 of tag, sealed with
//             AES-256-GCM under the master key with "<id> <kind>" as associated data
// code        in lower-case hex: HMAC-SHA-256 of all lines before, so that no line can go missing. Its key
//             is HMAC-SHA-256(master key, "pixledger keyring end")

enum class KeyKind { kData, kHmac, kSign };

struct KeyringEntry {
  std::string id;
  KeyKind kind;
  Timestamp created_at;
  Key256 key;
};

KeyringEntry make_keyring_entry(KeyKind kind, Timestamp now, Entropy& entropy);

std::string write_keyring_file(const std::vector<KeyringEntry>& entries, const Key256& master,
                               Entropy& entropy);

// Returns nullopt unless this master key wrote the text and no byte of it has changed. Throws KeyringError,
// whose message begins with `name`, if a newer release wrote it.
std::optional<std::vector<KeyringEntry>> read_keyring_file(std::string_view text, const Key256& master,
                                                           const std::string& name);

}  // namespace pixledger::eventstore
