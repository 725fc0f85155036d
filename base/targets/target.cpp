#include "base/targets/target.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/platform/descriptor.h"
#include "base/platform/durable_files.h"

namespace pixledger {
namespace {

constexpr std::size_t kReadBytes = std::size_t{8} << 20;

}  // namespace

ObjectSource source_of(std::string_view text) {
  return {text.size(), [text](std::uint64_t offset, std::size_t length) {
            return std::string(text.substr(offset, length));
          }};
}

ObjectSource source_of_file(const std::filesystem::path& file) {
  const auto opened = std::make_shared<Descriptor>(file, O_RDONLY);
  struct stat status {};
  if (!*opened || ::fstat(opened->number(), &status) != 0) fail_on(file, "open");
  return {
      static_cast<std::uint64_t>(status.st_size), [opened, file](std::uint64_t offset, std::size_t length) {
        std::string bytes(length, '\0');
        std::size_t got = 0;
        while (got < length) {
          const auto count =
              ::pread(opened->number(), bytes.data() + got, length - got, static_cast<off_t>(offset + got));
          if (count < 0 && errno == EINTR) continue;
          if (count < 0) fail_on(file, "read");
          if (count == 0) throw std::runtime_error(file.string() + " was cut short meanwhile");
          got += static_cast<std::size_t>(count);
        }
        return bytes;
      }};
}

std::optional<std::string> read_whole(const Target& target, const std::string& name) {
  auto bytes = target.read(name, 0, kReadBytes);
  while (bytes && bytes->size() % kReadBytes == 0 && !bytes->empty()) {
    const auto more = target.read(name, bytes->size(), kReadBytes);
    if (!more) return std::nullopt;
    if (more->empty()) break;
    *bytes += *more;
  }
  return bytes;
}

void write_text(Target& target, const std::string& name, std::string_view text) {
  target.write(name, source_of(text));
}

}  // namespace pixledger
