#pragma once

#include <filesystem>
#include <string>
#include <vector>

// Copies of the ledger that were replaced and not thrown away, as they have a history that PostgreSQL does
// not have: where it has lost commits, they may be all that there is of what was acknowledged. Each is
// `ledger.kept-TIME` in the node's directory until an operator takes it away, at most kKeptCopiesMax. One in
// which an examination has found no loss is removed when the next copy is fetched.
namespace pixledger::eventstore {

constexpr std::size_t kKeptCopiesMax = 3;

// Notes that the copy that is there is to be kept when it is replaced. `trust`: the file without which it
// cannot be trusted, which becomes the note, as there may be no room for another.
void ask_to_keep_copy(const std::filesystem::path& directory, const std::filesystem::path& trust);
// Throws std::runtime_error, which says what to do, where it is to be kept and there is no room for it.
void refuse_full_of_copies(const std::filesystem::path& directory);
// Out of the way of another one: kept, or removed.
void put_copy_away(const std::filesystem::path& directory);

// In the order of their times.
std::vector<std::filesystem::path> kept_copies(const std::filesystem::path& directory);

}  // namespace pixledger::eventstore
