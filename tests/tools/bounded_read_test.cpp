#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <sstream>
#include <streambuf>

#include "tools/cli/files.h"

using namespace pixledger;

using pixledger::tools::read_at_most;

namespace {

// A file of so many blanks, which counts how many were read.
class Blanks final : public std::streambuf {
 public:
  explicit Blanks(std::size_t bytes) : left_(bytes) { some_.fill(' '); }
  std::size_t taken() const { return taken_; }

 protected:
  int_type underflow() override {
    const auto size = std::min(left_, some_.size());
    left_ -= size;
    taken_ += size;
    setg(some_.data(), some_.data(), some_.data() + size);
    return size == 0 ? traits_type::eof() : traits_type::to_int_type(' ');
  }

 private:
  std::array<char, 1000> some_;
  std::size_t left_;
  std::size_t taken_ = 0;
};

}  // namespace

TEST_CASE("a file that is too long is not read to its end") {
  Blanks blanks(1'000'000);
  std::istream in(&blanks);
  CHECK_FALSE(read_at_most(in, 100'000));
  CHECK(blanks.taken() < 200'000);
}

TEST_CASE("a file is read as a whole up to the last byte that is allowed") {
  for (const std::size_t size : {0, 1, 16'383, 16'384, 16'385, 40'000}) {
    std::istringstream in(std::string(size, 'x'));
    CHECK(read_at_most(in, 40'000) == std::string(size, 'x'));
  }
  std::istringstream in(std::string(40'001, 'x'));
  CHECK_FALSE(read_at_most(in, 40'000));
}
