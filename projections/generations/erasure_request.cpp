#include "projections/generations/erasure_request.h"

#include <sstream>
#include <string>

#include "base/platform/durable_files.h"

namespace pixledger::projections {
namespace {

constexpr const char* kRequestFile = "erase";  // beside the generations: number, position
constexpr const char* kDoneFile = "erased";    // in a generation: number

}  // namespace

std::uint64_t request_erasure(const std::filesystem::path& views, Position erased) {
  const auto number = last_erasure_request(views).number + 1;
  write_durably(views / kRequestFile, std::to_string(number) + " " + std::to_string(erased.value()) + "\n");
  return number;
}

ErasureRequest last_erasure_request(const std::filesystem::path& views) {
  std::uint64_t number = 0;
  std::uint64_t position = 0;
  std::istringstream file(read_if_there(views / kRequestFile).value_or(""));
  if (!(file >> number >> position)) return {};
  return {number, Position(position)};
}

bool is_erasure_done(const std::filesystem::path& generation, std::uint64_t request) {
  std::uint64_t done = 0;
  std::istringstream file(read_if_there(generation / kDoneFile).value_or(""));
  if (!(file >> done)) done = 0;
  return done >= request;
}

void note_erasure_done(const std::filesystem::path& generation, std::uint64_t request) {
  write_durably(generation / kDoneFile, std::to_string(request) + "\n");
}

}  // namespace pixledger::projections
