#include "base/process/output.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <iostream>
#include <poll.h>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

#include "base/platform/faults.h"

namespace pixledger {
namespace {

// Returns -1 unless stdout is a file opened without O_APPEND.
off_t begin_in_file() {
  struct stat status {};
  const int flags = ::fcntl(STDOUT_FILENO, F_GETFL);
  if (flags < 0 || (flags & O_APPEND) != 0) return -1;
  if (::fstat(STDOUT_FILENO, &status) != 0 || !S_ISREG(status.st_mode)) return -1;
  return ::lseek(STDOUT_FILENO, 0, SEEK_CUR);
}

}  // namespace

StandardOutput::StandardOutput()
    : before_(std::cout.rdbuf(this)), begin_(begin_in_file()), is_terminal_(::isatty(STDOUT_FILENO) != 0) {
  begin_buffer();
}

StandardOutput::~StandardOutput() {
  sync();
  std::cout.rdbuf(before_);
}

bool StandardOutput::take_back() const { return begin_ >= 0 && ::ftruncate(STDOUT_FILENO, begin_) == 0; }

int StandardOutput::overflow(int next) {
  if (sync() != 0) return traits_type::eof();
  if (traits_type::eq_int_type(next, traits_type::eof())) return traits_type::not_eof(next);
  const char byte = traits_type::to_char_type(next);
  if (!is_terminal_) return sputc(byte);
  return xsputn(&byte, 1) == 1 ? next : traits_type::eof();
}

std::streamsize StandardOutput::xsputn(const char* bytes, std::streamsize count) {
  if (!is_terminal_) return std::streambuf::xsputn(bytes, count);
  write(std::string_view(bytes, static_cast<std::size_t>(count)));
  return error_ == 0 ? count : 0;
}

void StandardOutput::begin_buffer() {
  // Terminals are unbuffered.
  if (!is_terminal_) setp(bytes_.data(), bytes_.data() + bytes_.size());
}

int StandardOutput::sync() {
  write(std::string_view(pbase(), static_cast<std::size_t>(pptr() - pbase())));
  begin_buffer();
  return error_ == 0 ? 0 : -1;
}

void StandardOutput::write(std::string_view left) {
  while (!left.empty() && error_ == 0) {
    const auto written = ::write(STDOUT_FILENO, left.data(), left.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) error_ = errno;
    if (written > 0) left.remove_prefix(static_cast<std::size_t>(written));
  }
}

void hold_standard_descriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) >= 0) continue;
    // open() returns the lowest free number, which is this one. Writing to a descriptor opened for reading
    // fails.
    if (::open("/dev/null", descriptor == STDERR_FILENO ? O_WRONLY : O_RDONLY) < 0) return;
  }
}

bool somebody_reads_output() {
  pollfd output{STDOUT_FILENO, 0, 0};
  return ::poll(&output, 1, 0) <= 0 || (output.revents & (POLLERR | POLLNVAL)) == 0;
}

void flush_output() {
  if (std::cout.flush()) return;
  if (!somebody_reads_output()) throw ReaderGone();
  const auto* const output = dynamic_cast<const StandardOutput*>(std::cout.rdbuf());
  const int code = output ? output->error() : 0;
  std::string problem = "the output could not be written";
  if (code == EBADF)
    problem += ": standard output is closed";
  else if (code != 0)
    problem += ": " + describe_refusal(code).value_or(std::strerror(code));
  const bool is_taken_back = output && output->take_back();
  throw std::runtime_error(problem + (is_taken_back ? "; what there was of it is taken back"
                                                    : "; what there is of it is not whole"));
}

}  // namespace pixledger
