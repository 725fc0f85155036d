#pragma once

#include <cstdint>
#include <string_view>

namespace pixledger::stores {

// How many bytes the entries of a ZIP file whose names begin so have unpacked, by its directory. 0 where it
// is no such file.
std::uint64_t bytes_of_zip_entries(int descriptor, std::string_view prefix);

}  // namespace pixledger::stores
