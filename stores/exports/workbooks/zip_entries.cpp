#include "stores/exports/workbooks/zip_entries.h"

#include <algorithm>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace pixledger::stores {
namespace {

// APPNOTE.TXT 4.3.16 and 4.3.12: sizes and offsets of the fixed parts.
constexpr std::size_t kEndBytes = 22;
constexpr std::size_t kEntryBytes = 46;
constexpr std::uint64_t kIn64Bits = 0xffffffff;  // the true size stands elsewhere

std::string read_at(int descriptor, std::uint64_t from, std::size_t size) {
  std::string bytes(size, '\0');
  const auto got = ::pread(descriptor, bytes.data(), size, static_cast<off_t>(from));
  bytes.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
  return bytes;
}

std::uint64_t little_endian(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint64_t number = 0;
  for (std::size_t i = size; i-- > 0;) number = number << 8 | static_cast<unsigned char>(bytes[at + i]);
  return number;
}

}  // namespace

std::uint64_t bytes_of_zip_entries(int descriptor, std::string_view prefix) {
  struct stat file {};
  if (::fstat(descriptor, &file) != 0 || file.st_size < static_cast<off_t>(kEndBytes)) return 0;
  const auto size = static_cast<std::uint64_t>(file.st_size);
  const auto end = read_at(descriptor, size - kEndBytes, kEndBytes);
  if (end.size() != kEndBytes || end.substr(0, 4) != "PK\5\6") return 0;
  const auto directory_size = little_endian(end, 12, 4);
  const auto from = little_endian(end, 16, 4);
  if (from == kIn64Bits || from + directory_size > size) return from == kIn64Bits ? UINT64_MAX : 0;
  const auto directory = read_at(descriptor, from, directory_size);
  std::uint64_t sum = 0;
  for (std::size_t at = 0; at + kEntryBytes <= directory.size();) {
    if (directory.substr(at, 4) != "PK\1\2") return 0;
    const auto name_size = little_endian(directory, at + 28, 2);
    if (directory.substr(at + kEntryBytes, std::min<std::size_t>(prefix.size(), name_size)) == prefix) {
      const auto unpacked = little_endian(directory, at + 24, 4);
      if (unpacked == kIn64Bits) return UINT64_MAX;
      sum += unpacked;
    }
    at +=
        kEntryBytes + name_size + little_endian(directory, at + 30, 2) + little_endian(directory, at + 32, 2);
  }
  return sum;
}

}  // namespace pixledger::stores
