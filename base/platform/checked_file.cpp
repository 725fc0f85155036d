#include "base/platform/checked_file.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace pixledger {
namespace {

constexpr std::size_t kBlockBytesMax = std::size_t{1} << 20;

[[noreturn]] void fail(const std::filesystem::path& file) {
  throw std::system_error(errno, std::generic_category(), file.string());
}

// The header before a block's bytes.
struct BlockHead {
  std::uint32_t size = 0;
  Digest digest{};
};
static_assert(sizeof(BlockHead) == 36, "the head is written as it lies in memory");

Digest digest_of(const Digest& before, std::uint32_t size, std::string_view block) {
  std::array<char, sizeof size> size_bytes{};
  std::memcpy(size_bytes.data(), &size, sizeof size);
  return sha256({bytes_of(before), std::string_view(size_bytes.data(), size_bytes.size()), block});
}

}  // namespace

CheckedFileWriter::CheckedFileWriter(std::filesystem::path file)
    : file_(std::move(file)),
      temporary_(file_.string() + ".new"),
      out_(temporary_, O_WRONLY | O_CREAT | O_TRUNC) {
  if (!out_) fail(temporary_);
  block_.reserve(kBlockBytesMax);
}

CheckedFileWriter::~CheckedFileWriter() {
  if (!finished_) ::unlink(temporary_.c_str());
}

void CheckedFileWriter::bytes(const void* data, std::size_t size) {
  const char* from = static_cast<const char*>(data);
  while (size > 0) {
    const std::size_t part = std::min(size, kBlockBytesMax - block_.size());
    block_.append(from, part);
    from += part;
    size -= part;
    if (block_.size() == kBlockBytesMax) end_block();
  }
}

void CheckedFileWriter::text(std::string_view text) {
  value<std::uint64_t>(text.size());
  bytes(text.data(), text.size());
}

void CheckedFileWriter::end_block() {
  BlockHead head;
  head.size = static_cast<std::uint32_t>(block_.size());
  digest_ = head.digest = digest_of(digest_, head.size, block_);
  write_all(&head, sizeof head);
  write_all(block_.data(), block_.size());
  block_.clear();
}

void CheckedFileWriter::write_all(const void* data, std::size_t size) {
  const char* from = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t written = ::write(out_.number(), from, size);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(temporary_);
    from += written;
    size -= static_cast<std::size_t>(written);
  }
}

void CheckedFileWriter::finish() {
  if (!block_.empty()) end_block();
  end_block();
  if (::fsync(out_.number()) != 0) fail(temporary_);
  if (::rename(temporary_.c_str(), file_.c_str()) != 0) fail(file_);
  finished_ = true;
  const auto parent = file_.has_parent_path() ? file_.parent_path() : std::filesystem::path(".");
  const Descriptor directory(parent, O_RDONLY | O_DIRECTORY);
  if (!directory || ::fsync(directory.number()) != 0) fail(parent);
}

CheckedFileReader::CheckedFileReader(const std::filesystem::path& file) : in_(file, O_RDONLY) {
  if (!in_) fail(file);  // a missing file is not damage
  unread_bytes_ = std::filesystem::file_size(file);
}

void CheckedFileReader::bytes(void* data, std::size_t size) {
  char* to = static_cast<char*>(data);
  while (size > 0) {
    if (at_ == block_.size()) next_block();
    if (block_.empty()) throw DamagedFile();
    const std::size_t part = std::min(size, block_.size() - at_);
    std::memcpy(to, block_.data() + at_, part);
    at_ += part;
    to += part;
    size -= part;
  }
}

std::string CheckedFileReader::text() {
  const auto size = value<std::uint64_t>();
  expect(size, 1);
  std::string text(size, '\0');
  bytes(text.data(), text.size());
  return text;
}

void CheckedFileReader::expect(std::uint64_t count, std::size_t size) const {
  if (count > (unread_bytes_ + block_.size() - at_) / size) throw DamagedFile();
}

void CheckedFileReader::next_block() {
  BlockHead head;
  read_all(&head, sizeof head);
  if (head.size > kBlockBytesMax) throw DamagedFile();
  block_.resize(head.size);
  at_ = 0;
  read_all(block_.data(), block_.size());
  if (digest_of(digest_, head.size, block_) != head.digest) throw DamagedFile();
  digest_ = head.digest;
}

void CheckedFileReader::read_all(void* data, std::size_t size) {
  char* to = static_cast<char*>(data);
  while (size > 0) {
    const ssize_t count = ::read(in_.number(), to, size);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) throw DamagedFile();
    to += count;
    size -= static_cast<std::size_t>(count);
    unread_bytes_ -= std::min(unread_bytes_, static_cast<std::uint64_t>(count));
  }
}

void CheckedFileReader::finish() {
  if (at_ != block_.size()) throw DamagedFile();
  next_block();
  if (!block_.empty() || unread_bytes_ != 0) throw DamagedFile();
}

}  // namespace pixledger
