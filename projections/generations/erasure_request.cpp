#include "projections/generations/erasure_request.h"

#include <fstream>
#include <string>

#include "projections/storage/view_marker.h"

namespace pixledger::projections {
namespace {

constexpr const char* kRequestFile = "erase";  // beside the generations: number, position
constexpr const char* kDoneFile = "erased";    // in a generation: number

}  // namespace

std::uint64_t request_erasure(const std::filesystem::path& views, domain::Position erased) {
  const auto number = last_erasure_request(views).number + 1;
  write_file_durably(views / kRequestFile,
                     std::to_string(number) + " " + std::to_string(erased.value()) + "\n");
  return number;
}

ErasureRequest last_erasure_request(const std::filesystem::path& views) {
  std::uint64_t number = 0;
  std::uint64_t position = 0;
  std::ifstream file(views / kRequestFile);
  if (!(file >> number >> position)) return {};
  return {number, domain::Position(position)};
}

bool is_erasure_done(const std::filesystem::path& generation, std::uint64_t request) {
  std::uint64_t done = 0;
  std::ifstream file(generation / kDoneFile);
  if (!(file >> done)) done = 0;
  return done >= request;
}

void note_erasure_done(const std::filesystem::path& generation, std::uint64_t request) {
  write_file_durably(generation / kDoneFile, std::to_string(request) + "\n");
}

}  // namespace pixledger::projections
