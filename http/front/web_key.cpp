#include "http/front/web_key.h"

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fcntl.h>
#include <stdexcept>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

#include "base/platform/sha256.h"

namespace pixledger::http {
namespace {

constexpr std::string_view kPrefix = "wk_";
constexpr std::size_t kRandomBytes = 32;
constexpr std::size_t kTextBytes = 3 + 2 * kRandomBytes;

[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& why) {
  throw std::runtime_error("the web key in " + file.string() + " " + why);
}
[[noreturn]] void refuse_for_errno(const std::filesystem::path& file, const std::string& what) {
  refuse(file, what + ": " + std::strerror(errno));
}

class Descriptor {
 public:
  Descriptor(const std::filesystem::path& file, int flags) : number_(::open(file.c_str(), flags, 0600)) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  bool is_open() const { return number_ >= 0; }
  int number() const { return number_; }

 private:
  const int number_;
};

std::string made_in(const std::filesystem::path& file, const Descriptor& made, Entropy& entropy) {
  std::array<std::byte, kRandomBytes> random{};
  entropy.fill(random);
  auto text = std::string(kPrefix) + to_hex({reinterpret_cast<const char*>(random.data()), random.size()});
  const auto line = text + "\n";
  const auto written = ::write(made.number(), line.data(), line.size());
  if (written != static_cast<ssize_t>(line.size()) || ::fsync(made.number()) != 0) {
    const int fault = errno;
    ::unlink(file.c_str());
    errno = fault;
    refuse_for_errno(file, "cannot be written");
  }
  return text;
}

std::string read_from(const std::filesystem::path& file) {
  const Descriptor kept(file, O_RDONLY | O_CLOEXEC);
  struct stat info {};
  if (!kept.is_open() || ::fstat(kept.number(), &info) != 0) refuse_for_errno(file, "cannot be read");
  if ((info.st_mode & S_IRWXO) != 0) refuse(file, "lets everybody in: run chmod o= " + file.string());
  std::string text(kTextBytes + 2, '\0');
  const auto size = ::read(kept.number(), text.data(), text.size());
  if (size < 0) refuse_for_errno(file, "cannot be read");
  text.resize(static_cast<std::size_t>(size));
  if (!text.empty() && text.back() == '\n') text.pop_back();
  if (text.size() != kTextBytes || !text.starts_with(kPrefix))
    refuse(file, "is none; remove the file to have another one made");
  return text;
}

}  // namespace

WebKey open_web_key(const std::filesystem::path& file, Entropy& entropy) {
  const Descriptor made(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC);
  if (!made.is_open() && errno != EEXIST) refuse_for_errno(file, "cannot be made");
  return {sha256(made.is_open() ? made_in(file, made, entropy) : read_from(file))};
}

}  // namespace pixledger::http
