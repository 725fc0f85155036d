#include "tests/power_loss/recording.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <stdexcept>
#include <sys/mman.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include "base/platform/durable_files.h"

namespace pixledger::tests {
namespace {

std::uint64_t size_of(const RecordHead& head) {
  return (sizeof head + head.path_bytes + head.data_bytes + 7) & ~std::uint64_t{7};
}

Record record_at(const char* at, std::uint64_t place) {
  RecordHead head{};
  std::memcpy(&head, at, sizeof head);
  const std::string_view path(at + sizeof head, head.path_bytes);
  const auto end = path.find('\0');
  return {.kind = head.kind,
          .place = place,
          .path = path.substr(0, end),
          .to = end == std::string_view::npos ? std::string_view{} : path.substr(end + 1),
          .data = {path.data() + path.size(), head.data_bytes},
          .inode = head.inode,
          .offset = head.offset,
          .length = head.length};
}

}  // namespace

Recording::Recording(std::filesystem::path file, std::filesystem::path recorded, unsigned ignored)
    : file_(std::move(file)), recorded_(std::move(recorded)) {
  map(true);
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&head_->mutex, &attributes);
  pthread_mutexattr_destroy(&attributes);
  head_->end = kRecordsAt;
  head_->bytes_max = bytes_;
  head_->ignored = ignored;
  mark("data " + recorded_.string());
}

Recording::Recording(std::filesystem::path file)
    : file_(std::move(file)), bytes_(std::filesystem::file_size(file_)) {
  map(false);
}

Recording::~Recording() { ::munmap(head_, bytes_); }

void Recording::map(bool is_new) {
  const int descriptor = ::open(file_.c_str(), O_RDWR | O_CLOEXEC | (is_new ? O_CREAT | O_EXCL : 0), 0600);
  const bool is_sized =
      descriptor >= 0 && (!is_new || ::ftruncate(descriptor, static_cast<off_t>(bytes_)) == 0);
  void* mapped =
      is_sized ? ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0) : MAP_FAILED;
  const int error = errno;
  if (descriptor >= 0) ::close(descriptor);
  if (mapped == MAP_FAILED)
    throw std::system_error(error, std::generic_category(), "cannot map " + file_.string());
  head_ = static_cast<RecordingHead*>(mapped);
}

std::vector<std::string> Recording::environment() const {
  return {"LD_PRELOAD=" PIXLEDGER_POWER_LOSS_RECORDER, "PIXLEDGER_RECORDING=" + file_.string(),
          "PIXLEDGER_RECORDED=" + recorded_.string(),
          // AddressSanitizer requires to be the first library; the recorder forwards its calls to it.
          "ASAN_OPTIONS=verify_asan_link_order=0"};
}

void Recording::append(RecordHead head, const std::string& path, const std::string& data) {
  head.path_bytes = static_cast<std::uint32_t>(path.size());
  head.data_bytes = data.size();
  if (pthread_mutex_lock(&head_->mutex) == EOWNERDEAD) pthread_mutex_consistent(&head_->mutex);
  if (head_->end + size_of(head) > bytes_) throw std::runtime_error("the recording is too small");
  char* const to = begin() + head_->end;
  std::memcpy(to, &head, sizeof head);
  std::memcpy(to + sizeof head, path.data(), path.size());
  std::memcpy(to + sizeof head + path.size(), data.data(), data.size());
  head_->end += size_of(head);
  pthread_mutex_unlock(&head_->mutex);
}

void Recording::mark(const std::string& text) {
  RecordHead head{};
  head.kind = kRecordMark;
  append(head, {}, text);
}

void Recording::repeat(const Record& record) {
  RecordHead head{};
  head.kind = record.kind;
  append(head, {}, std::string(record.data));
}

void Recording::add_directory() {
  std::vector<std::filesystem::path> all{recorded_};
  for (const auto& entry : std::filesystem::recursive_directory_iterator(recorded_)) all.push_back(entry);
  std::vector<std::uint64_t> inodes;
  for (const auto& path : all) {
    struct stat info {};
    if (::stat(path.c_str(), &info) != 0)
      throw std::system_error(errno, std::generic_category(), path.string());
    RecordHead head{};
    head.inode = info.st_ino;
    head.kind = S_ISDIR(info.st_mode) ? kRecordDirectory : kRecordFile;
    append(head, path, {});
    head.kind = kRecordWrite;
    if (S_ISREG(info.st_mode)) append(head, {}, read_if_there(path).value());
    inodes.push_back(info.st_ino);
  }
  for (const auto inode : inodes) {
    RecordHead head{};
    head.kind = kRecordSync;
    head.inode = inode;
    head.offset = head_->end;
    append(head, {}, {});
  }
  mark(kBegins);
}

std::vector<Record> Recording::records() const {
  std::vector<Record> records;
  for (std::uint64_t place = kRecordsAt; place < head_->end;) {
    auto record = record_at(begin() + place, place);
    if (record.kind == kRecordUnseen)
      throw std::runtime_error("the recorder cannot record " + std::string(record.data));
    RecordHead head{};
    std::memcpy(&head, begin() + place, sizeof head);
    place += size_of(head);
    const bool is_synced = record.kind == kRecordSyncedWrite;
    if (is_synced) record.kind = kRecordWrite;
    records.push_back(record);
    if (is_synced)
      records.push_back({.kind = kSyncRange,
                         .place = record.place,
                         .inode = record.inode,
                         .offset = record.offset,
                         .length = record.data.size()});
  }
  return records;
}

void Recording::keep_in(const std::filesystem::path& file) const {
  std::ofstream(file, std::ios::binary).write(begin(), static_cast<std::streamsize>(head_->end));
  std::filesystem::resize_file(file, head_->end);
}

}  // namespace pixledger::tests
