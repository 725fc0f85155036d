#pragma once

#include <filesystem>
#include <string>
#include <vector>

// Copies of the ledger that were replaced but kept, since PostgreSQL does not have their history: if it has
// lost commits, they may be the only record of what was acknowledged. Each is `ledger.kept-TIME` in the
// node's directory until an operator removes it, at most kKeptCopiesMax. A copy whose examination has found
// no loss is removed when the next copy is fetched.
namespace pixledger::eventstore {

constexpr std::size_t kKeptCopiesMax = 3;

// Notes that the current copy must be kept when it is replaced. `trust`: the file without which it is not
// trusted; it is renamed to the note, as there may be no room for another file.
void ask_to_keep_copy(const std::filesystem::path& directory, const std::filesystem::path& trust);
// Throws std::runtime_error, with advice, if the copy must be kept and there is no room for it.
void refuse_full_of_copies(const std::filesystem::path& directory);
// Moves the copy out of the way of another one: kept, or removed.
void put_copy_away(const std::filesystem::path& directory);

// Sorted by time.
std::vector<std::filesystem::path> kept_copies(const std::filesystem::path& directory);

}  // namespace pixledger::eventstore
