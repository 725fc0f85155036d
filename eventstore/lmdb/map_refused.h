#pragma once

#include <cstddef>
#include <filesystem>
#include <stdexcept>

namespace pixledger::eventstore {

// The map does not fit into the address space that the process may use.
class LmdbMapRefused : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Throws the error for an environment that could not be opened: LmdbMapRefused, LmdbDamaged or LmdbError.
[[noreturn]] void throw_cannot_open(const std::filesystem::path& directory, std::size_t map_bytes, int code);

}  // namespace pixledger::eventstore
