#pragma once

#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

// Damage has types of its own. What the system lacks or refuses (descriptors, memory, room, rights) is no
// damage: it would be refused to whatever were built instead, too.
namespace pixledger {

// Read models are not there, or are not what a projector wrote.
class ViewsDamaged : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// What a worker keeps is not what it wrote.
class WorkerDatabaseDamaged : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Describes a system error code by which the kernel refuses a resource: room, a longer file, descriptors,
// memory. The text says what to do. Such an error is no damage, and it may end. nullopt for all other codes.
std::optional<std::string> describe_refusal(int code);

// The same text for a database whose map is full.
inline constexpr std::string_view kMapIsFull = "a database is full: give it more room with --map-size";

// The error's text, with what to do in place of the system's name of a refusal: "cannot write /path: …".
std::string text_of_system_error(const std::system_error& error);

// Whether a text is one of these. They contain no path, so callers of the API may read them.
bool is_refusal(std::string_view text);

// Returns why a write to a file was cut short: ENOSPC, EFBIG, or EIO if the cause is unknown. LMDB reports
// every such write as an I/O error.
int cause_of_short_write(const std::filesystem::path& file);

}  // namespace pixledger
