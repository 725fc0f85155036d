#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/enum_names.h"
#include "base/values/timestamp.h"

// A place for backups outside of the data directory: a directory, or a bucket of an S3 service. It holds
// objects, which have names such as "events/1-20-1" and bytes. All targets pass one contract test
// (tests/base/targets/target_contract_test.cpp).
namespace pixledger {

enum class TargetFault { kUnreachable, kRefused, kForeign, kNewer, kFull, kFenced, kOther };
inline constexpr EnumNames<TargetFault::kUnreachable, TargetFault::kOther> kTargetFaults{
    "unreachable", "refused", "foreign", "newer", "full", "fenced", "other"};
inline std::string_view to_string(TargetFault fault) { return kTargetFaults.of(fault); }

// A target cannot do what it was asked for, or holds what must not be touched. what() is one sentence that
// names the target, without a secret. Targets themselves throw kUnreachable (also for a missing directory or
// bucket, or a time-out), kRefused (credentials or permissions), kFull and kOther; the others come from
// readers of what is in them.
class TargetError : public std::runtime_error {
 public:
  TargetError(TargetFault fault, const std::string& problem) : std::runtime_error(problem), fault_(fault) {}
  TargetFault fault() const { return fault_; }

 private:
  TargetFault fault_;
};

// What is to be written. `read` returns `length` bytes from `offset` on, and may be called several times for
// the same ones, so that a part can be sent again.
struct ObjectSource {
  std::uint64_t bytes = 0;
  std::function<std::string(std::uint64_t offset, std::size_t length)> read;
};
// The text must outlive the source.
ObjectSource source_of(std::string_view text);
// The file must not change meanwhile. Reading throws std::system_error.
ObjectSource source_of_file(const std::filesystem::path& file);

struct TargetObject {
  std::string name;
  std::uint64_t bytes = 0;
  friend bool operator==(const TargetObject&, const TargetObject&) = default;
};

// A version of an object that a newer one, or its removal, has replaced; or the mark of a removal.
struct OldVersion {
  std::string name;
  std::string version;  // in the target's own words
  Timestamp written;
};

// Not thread-safe; several objects of the same target may be used at once. Names consist of [A-Za-z0-9._-]
// and single slashes between parts, of which none begins with a dot. All functions throw TargetError.
class Target {
 public:
  virtual ~Target() = default;

  // For messages; without a secret.
  virtual const std::string& uri() const = 0;

  // The objects whose names begin with the prefix, which is empty or ends with '/', in the order of their
  // names. Empty too if nothing was ever written there; kUnreachable if there can be nothing.
  virtual std::vector<TargetObject> list(const std::string& prefix) const = 0;
  // The bytes from `offset` on, at most `max`; fewer only at the object's end. nullopt: no such object.
  virtual std::optional<std::string> read(const std::string& name, std::uint64_t offset,
                                          std::size_t max) const = 0;
  // Creates or replaces an object. Readers see all of it or nothing of it; it is durable on return. After an
  // exception it may be there or not.
  virtual void write(const std::string& name, const ObjectSource& source) = 0;
  // Removes an object; does nothing if it is missing. A target with versions keeps it as an old one.
  virtual void remove(const std::string& name) = 0;

  // Whether each write or removal leaves an old version.
  virtual bool keeps_versions() const { return false; }
  // The old versions of the objects whose names begin with the prefix.
  virtual std::vector<OldVersion> old_versions(const std::string& /*prefix*/) const { return {}; }
  // Removes one for good. Returns until when the target keeps it all the same (object lock); nullopt: it is
  // gone. Without an end, as under a legal hold: kLastTimestamp.
  virtual std::optional<Timestamp> remove_old(const OldVersion& /*old*/) { return std::nullopt; }
};

// All of an object. nullopt: no such object. Throws TargetError.
std::optional<std::string> read_whole(const Target& target, const std::string& name);
void write_text(Target& target, const std::string& name, std::string_view text);

}  // namespace pixledger
