#include "eventstore/keys/keyring_file.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <fcntl.h>
#include <optional>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "base/platform/sha256.h"
#include "base/text/enum_names.h"

namespace pixledger::eventstore {
namespace {

constexpr mode_t kDirectoryMode = 0700;
constexpr mode_t kFileMode = 0600;
constexpr mode_t kOthersModeBits = 0077;

[[noreturn]] void fail(const char* what, const std::filesystem::path& path) {
  throw std::system_error(errno, std::generic_category(),
                          "cannot " + std::string(what) + " " + path.string());
}

void refuse_what_others_may_read(int descriptor, mode_t wanted, const std::filesystem::path& path) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) fail("stat", path);
  const mode_t mode = status.st_mode & 07777;
  if ((mode & kOthersModeBits) == 0) return;
  char octal[32];
  std::snprintf(octal, sizeof octal, "%04o", static_cast<unsigned>(mode));
  char needed[32];
  std::snprintf(needed, sizeof needed, "%03o", static_cast<unsigned>(wanted));
  throw KeyringError(path.string() + " lets others in (mode " + octal + "): run chmod " + needed + " " +
                     path.string());
}

void sync(int descriptor, const std::filesystem::path& path) {
  if (::fsync(descriptor) != 0) fail("fsync", path);
}

void write_key(int descriptor, std::string_view bytes, const std::filesystem::path& path) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      fail("write", path);
    }
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace

void KeyDirectory::make(const std::filesystem::path& path) {
  if (::mkdir(path.c_str(), kDirectoryMode) != 0 && errno != EEXIST) fail("mkdir", path);
  const std::filesystem::path parent = path / "..";
  const Descriptor directory(parent, O_RDONLY | O_DIRECTORY);
  if (!directory) fail("open", parent);
  sync(directory.number(), parent);
}

KeyDirectory::KeyDirectory(const std::filesystem::path& path, Access access)
    : path_(path), descriptor_(path, O_RDONLY | O_DIRECTORY) {
  if (!descriptor_ && errno == ENOENT) {
    throw KeyringError("there is no directory of keys at " + path.string() + ": restore it from its backup");
  }
  if (!descriptor_) fail("open", path);
  refuse_what_others_may_read(descriptor_.number(), kDirectoryMode, path);
  while (::flock(descriptor_.number(), access == Access::kChange ? LOCK_EX : LOCK_SH) != 0) {
    if (errno != EINTR) fail("lock", path);
  }
}

std::optional<std::string> KeyDirectory::read(const std::string& name) const {
  const Descriptor file(::openat(descriptor_.number(), name.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file && errno == ENOENT) return std::nullopt;
  if (!file) fail("open", path_of(name));
  refuse_what_others_may_read(file.number(), kFileMode, path_of(name));
  std::string bytes(kFileBytesMax + 1, '\0');
  std::size_t length = 0;
  while (length < bytes.size()) {
    const ssize_t got = ::read(file.number(), bytes.data() + length, bytes.size() - length);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail("read", path_of(name));
    if (got == 0) break;
    length += static_cast<std::size_t>(got);
  }
  if (length > kFileBytesMax) throw KeyringError(path_of(name).string() + " is too long to hold keys");
  bytes.resize(length);
  return bytes;
}

void KeyDirectory::write(const std::string& name, std::string_view bytes) {
  const std::string unfinished = name + ".tmp";
  try {
    const Descriptor file(::openat(descriptor_.number(), unfinished.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, kFileMode));
    if (!file) fail("open", path_of(unfinished));
    // A file left behind by a crash keeps its mode.
    if (::fchmod(file.number(), kFileMode) != 0) fail("chmod", path_of(unfinished));
    write_key(file.number(), bytes, path_of(unfinished));
    sync(file.number(), path_of(unfinished));
  } catch (const std::system_error&) {
    ::unlinkat(descriptor_.number(), unfinished.c_str(), 0);
    throw;
  }
  rename(unfinished, name);
}

void KeyDirectory::rename(const std::string& from, const std::string& to) {
  if (::renameat(descriptor_.number(), from.c_str(), descriptor_.number(), to.c_str()) != 0)
    fail("rename", path_of(from));
  sync(descriptor_.number(), path_);
}

namespace {

constexpr std::string_view kKeyringFirstLine = "pixledger keyring 1\n";
constexpr std::string_view kKeyringOfAnyFormat = "pixledger keyring ";
constexpr std::string_view kEndPrefix = "end ";
constexpr std::string_view kEndKeyLabel = "pixledger keyring end";
constexpr std::size_t kEndLineBytes = kEndPrefix.size() + 64 + 1;
constexpr std::size_t kIdBytes = 8;

constexpr EnumNames<KeyKind::kData, KeyKind::kSign> kKindNames{"data", "hmac", "sign"};

std::string associated_with(std::string_view id, std::string_view kind) {
  return std::string(id) + ' ' + std::string(kind);
}

std::string end_line(std::string_view lines, const Key256& master) {
  Key256 end_key;
  end_key.bytes = HmacSha256(master.view()).mac(kEndKeyLabel);
  const Digest code = HmacSha256(end_key.view()).mac(lines);
  return std::string(kEndPrefix) + to_hex(code) + '\n';
}

[[noreturn]] void refuse_newer(const std::string& name) {
  throw KeyringError(name + " was written by a newer release: use that one, or a later one");
}

// Takes the text before the next `end` off the front of `text`, and `end` too.
std::string_view take_field(char end, std::string_view& text) {
  const std::size_t length = std::min(text.find(end), text.size());
  const std::string_view taken = text.substr(0, length);
  text.remove_prefix(std::min(length + 1, text.size()));
  return taken;
}

KeyringEntry read_entry(std::string_view line, const Aes256Gcm& master, const std::string& name) {
  KeyringEntry entry{};
  entry.id = take_field(' ', line);
  const std::string_view kind_name = take_field(' ', line);
  const std::optional<KeyKind> kind = kKindNames.parse(kind_name);
  if (!kind) refuse_newer(name);
  entry.kind = *kind;
  const std::string_view created_at = take_field(' ', line);
  std::int64_t millis = 0;
  std::from_chars(created_at.data(), created_at.data() + created_at.size(), millis);
  entry.created_at = Timestamp(millis);

  const std::string wrapped = bytes_from_hex(line).value_or("");
  const std::string_view nonce = std::string_view(wrapped).substr(0, kGcmNonceBytes);
  const std::string_view sealed = std::string_view(wrapped).substr(nonce.size());
  std::optional<std::string> key = master.open(nonce, sealed, associated_with(entry.id, kind_name));
  if (!key || key->size() != entry.key.bytes.size())
    throw KeyringError(name + " is damaged at key " + entry.id);
  std::copy(key->begin(), key->end(), entry.key.bytes.begin());
  wipe(*key);
  return entry;
}

}  // namespace

KeyringEntry make_keyring_entry(KeyKind kind, Timestamp now, Entropy& entropy) {
  return {to_hex(entropy.bytes(kIdBytes)), kind, now, Key256::random(entropy)};
}

std::string write_keyring_file(const std::vector<KeyringEntry>& entries, const Key256& master,
                               Entropy& entropy) {
  const Aes256Gcm cipher(master);
  std::string text(kKeyringFirstLine);
  for (const KeyringEntry& entry : entries) {
    const std::string nonce = entropy.bytes(kGcmNonceBytes);
    const std::string_view kind = kKindNames.of(entry.kind);
    const std::string sealed = cipher.seal(nonce, entry.key.view(), associated_with(entry.id, kind));
    text += associated_with(entry.id, kind);
    text += ' ' + std::to_string(entry.created_at.millis()) + ' ' + to_hex(nonce + sealed) + '\n';
  }
  return text + end_line(text, master);
}

std::optional<std::vector<KeyringEntry>> read_keyring_file(std::string_view text, const Key256& master,
                                                           const std::string& name) {
  // Before the check of the last line: another format may end differently.
  const bool is_ours = text.substr(0, kKeyringFirstLine.size()) == kKeyringFirstLine;
  if (!is_ours && text.substr(0, kKeyringOfAnyFormat.size()) == kKeyringOfAnyFormat) refuse_newer(name);
  if (!is_ours || text.size() < kKeyringFirstLine.size() + kEndLineBytes) return std::nullopt;
  const std::size_t length = text.size() - kEndLineBytes;
  if (!equal_in_constant_time(text.substr(length), end_line(text.substr(0, length), master)))
    return std::nullopt;

  text = text.substr(kKeyringFirstLine.size(), length - kKeyringFirstLine.size());
  const Aes256Gcm cipher(master);
  std::vector<KeyringEntry> entries;
  while (!text.empty()) entries.push_back(read_entry(take_field('\n', text), cipher, name));
  return entries;
}

}  // namespace pixledger::eventstore
