#pragma once

#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

// Damage has its own exception type. A refused resource (descriptors, memory, disk space, rights) is not
// damage: a rebuild would be refused too.
namespace pixledger {

// Data that can be made again, or restored, is damaged or missing: read models, or a file beside the ledger.
class DataDamaged : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Describes a system error code by which the kernel refuses a resource: disk space, a larger file,
// descriptors, memory. The text says what to do. Such an error is temporary and no damage. nullopt for other
// codes.
std::optional<std::string> describe_refusal(int code);

// The text for a database whose map is full.
inline constexpr std::string_view kMapIsFull = "a database is full: give it more room with --map-size";

// The error's text; for a refusal with advice instead of the system's message: "cannot write /path: …".
std::string text_of_system_error(const std::system_error& error);

// Whether a text is one of these. They contain no path, so API callers may see them.
bool is_refusal(std::string_view text);

// Why a write to a file was short: ENOSPC, EFBIG, or EIO if unknown. LMDB reports every short write as an I/O
// error.
int cause_of_short_write(const std::filesystem::path& file);

}  // namespace pixledger
