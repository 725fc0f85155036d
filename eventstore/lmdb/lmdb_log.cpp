#include "eventstore/lmdb/lmdb_log.h"

#include <cassert>

#include "base/platform/write_access.h"
#include "eventstore/lmdb/lmdb_file_check.h"
#include "eventstore/lmdb/lmdb_log_reads.h"
#include "eventstore/lmdb/lmdb_log_snapshot.h"

// Reading the ledger, and making one. The write is in lmdb_log_write.cpp.
namespace pixledger::eventstore {
namespace {

constexpr const char* kGate = "gate";
constexpr const char* kWake = "wake";

const std::filesystem::path& existing(const std::filesystem::path& directory) {
  if (!LmdbLog::is_in(directory)) throw std::runtime_error("there is no ledger in " + directory.string());
  check_file_is_not_empty(directory / "data.mdb");
  return directory;
}

LogIdentity read_identity(const LmdbEnvironment& environment, const LmdbLog::Databases& databases) {
  const LmdbRead read(environment);
  const auto format = lmdb_get(read.get(), databases.meta, "format");
  const auto ledger_id = lmdb_get(read.get(), databases.meta, "ledger_id");
  const auto epoch = lmdb_get(read.get(), databases.meta, "epoch");
  if (!format || format->size() != 8 || !ledger_id || ledger_id->size() != 32 || !epoch || epoch->size() != 8)
    throw LogCorrupt("the ledger's meta records are missing or damaged");
  if (from_big_endian(*format) > kNewestFormat)
    throw std::runtime_error("this ledger was written by a newer release (format " +
                             std::to_string(from_big_endian(*format)) + ", this release knows " +
                             std::to_string(kNewestFormat) + "): upgrade pixledger");
  return {std::string(*ledger_id), static_cast<std::uint32_t>(from_big_endian(*epoch))};
}

}  // namespace

bool LmdbLog::is_in(const std::filesystem::path& directory) {
  return std::filesystem::exists(directory / "data.mdb");
}

void LmdbLog::create(const std::filesystem::path& directory, Entropy& entropy, const LmdbOptions& options,
                     const Keyring* keyring) {
  if (is_in(directory)) throw std::runtime_error("there is a ledger in " + directory.string() + " already");
  std::filesystem::create_directories(directory);
  std::filesystem::permissions(directory, std::filesystem::perms::owner_all);
  std::array<std::byte, 16> random{};
  entropy.fill(random);
  const auto ledger_id =
      to_hex(std::string_view(reinterpret_cast<const char*>(random.data()), random.size()));

  LmdbEnvironment environment(directory, options);
  const auto databases = create_ledger_databases(environment);
  LmdbWrite write(environment);
  lmdb_put(write.get(), databases.meta, "ledger_id", ledger_id);
  lmdb_put(write.get(), databases.meta, "epoch", big_endian(1));
  lmdb_put(write.get(), databases.meta, "head", encode_head({}));
  if (keyring) lmdb_put(write.get(), databases.meta, "keyring", bytes_of(keyring->code_of_ledger(ledger_id)));
  // In the same commit as the rest: a ledger without its format does not exist.
  lmdb_put(write.get(), databases.meta, "format", big_endian(kLedgerFormatVersion));
  seal_meta(write.get(), databases);
  write.commit();
}

LmdbLog::LmdbLog(const std::filesystem::path& directory, const LmdbOptions& options, FormatOf format_of)
    : format_of_(std::move(format_of)),
      environment_(existing(directory), options),
      databases_(find_ledger_databases(environment_)),
      identity_(read_identity(environment_, databases_)),
      look_every_(options.look_every),
      committed_(options.read_only ? WakeSignal() : WakeSignal(directory / kWake)) {
  if (!options.read_only) gate_.emplace(directory / kGate);
}

LmdbLog::~LmdbLog() = default;

bool LmdbLog::may_be_written(const std::filesystem::path& directory) {
  return may_write(directory, {"data.mdb", "lock.mdb", kGate});
}

const WriteGate& LmdbLog::gate() const {
  assert(gate_);
  return *gate_;
}

std::unique_ptr<LogSnapshot> LmdbLog::snapshot() const {
  return std::make_unique<LmdbLogSnapshot>(environment_, databases_);
}

Head LmdbLog::head() const {
  const LmdbRead read(environment_);
  const auto stored = read_head(read.get(), databases_);
  return {stored.position, stored.time};
}

LmdbLog::Copied LmdbLog::copied() const {
  const LmdbRead read(environment_);
  return {read_copied_batch(read.get(), databases_), read_head(read.get(), databases_).position};
}

bool LmdbLog::is_copy() const { return is_format_of_copy(stored_format()); }

void LmdbLog::check(const std::vector<StoredEvent>& events) const {
  if (events.empty()) return;
  const LmdbRead read(environment_);
  check_leaves(read.get(), databases_, events);
}

void LmdbLog::become_copy(const std::function<std::uint64_t()>& publish) {
  const WriteGate::Pass pass(gate());
  const auto format = stored_format();
  const bool was_copy = is_format_of_copy(format);
  if (!was_copy) note_format(format_of_copy(format));
  std::uint64_t batch = 0;
  try {
    batch = publish();
  } catch (const LogOutcomeUnknown&) {
    throw;
  } catch (...) {
    // Of one that was begun before it is not known what became.
    if (!was_copy) note_format(format);
    throw;
  }
  LmdbWrite write(environment_);
  lmdb_put(write.get(), databases_.meta, kCopiedBatch, big_endian(batch));
  seal_meta(write.get(), databases_);
  write.commit();
}

void LmdbLog::be_no_copy(const std::function<void()>& check) {
  const WriteGate::Pass pass(gate());
  { const LmdbWrite after_who_was_inside(environment_); }
  check();
  const auto format = stored_format();
  if (is_format_of_copy(format)) note_format(format - 1);
}

std::uint64_t LmdbLog::stored_format() const {
  const LmdbRead read(environment_);
  return read_format(read.get(), databases_);
}

void LmdbLog::note_format(std::uint64_t format) {
  LmdbWrite write(environment_);
  lmdb_put(write.get(), databases_.meta, "format", big_endian(format));
  seal_meta(write.get(), databases_);
  write.commit();
}

std::uint32_t LmdbLog::version_of(const StreamName& stream) const {
  const LmdbRead read(environment_);
  return read_version(read.get(), databases_, stream);
}

std::vector<StoredEvent> LmdbLog::read_after(Position after, std::size_t max) const {
  const LmdbRead read(environment_);
  return read_events_after(read.get(), databases_, after, max);
}

StreamBatch LmdbLog::read_stream(const StreamName& stream, std::uint32_t after_version,
                                 Position up_to) const {
  const LmdbRead read(environment_);
  auto allowance = kStreamBatch;
  return read_stream_events(read.get(), databases_, stream, after_version, up_to, allowance);
}

std::optional<StreamName> LmdbLog::claim_holder(const ClaimName& claim) const {
  const LmdbRead read(environment_);
  return read_claim(read.get(), databases_, claim);
}

std::vector<std::pair<ClaimName, StreamName>> LmdbLog::claims_with_prefix(const std::string& prefix) const {
  std::vector<std::pair<ClaimName, StreamName>> claims;
  const LmdbRead read(environment_);
  LmdbCursor cursor(read.get(), databases_.claims);
  for (bool more = cursor.seek(prefix); more && cursor.key().substr(0, prefix.size()) == prefix;
       more = cursor.move(MDB_NEXT))
    claims.emplace_back(ClaimName(std::string(cursor.key())), to_stream_name(cursor.value()));
  return claims;
}

std::optional<Digest> LmdbLog::leaf_hash(Position position) const {
  const auto record = tree_record(position);
  if (!record) return std::nullopt;
  return digest_from_bytes(std::string_view(*record).substr(0, 32));
}

std::optional<std::string> LmdbLog::tree_record(Position position) const {
  const LmdbRead read(environment_);
  const auto record = lmdb_get(read.get(), databases_.tree, big_endian(position.value()));
  if (!record) return std::nullopt;
  if (record->size() < 32 || record->size() % 32 != 0)
    throw LogCorrupt("the tree record of position " + std::to_string(position.value()) + " is damaged");
  return std::string(*record);
}

ClockAcceptance LmdbLog::clock_acceptance() const {
  const LmdbRead read(environment_);
  return read_clock_acceptance(read.get(), databases_);
}

void LmdbLog::accept_clock(const ClockReading& clock) {
  const WriteGate::Pass pass(gate());
  LmdbWrite write(environment_);
  const auto last = read_clock_acceptance(write.get(), databases_);
  const auto head = read_head(write.get(), databases_);
  lmdb_put(write.get(), databases_.meta, "clock_acceptance",
           big_endian(last.count + 1) + big_endian(static_cast<std::uint64_t>(head.time.millis())));
  lmdb_put(write.get(), databases_.meta, "clock_accepted",
           big_endian(static_cast<std::uint64_t>(clock.offset_ms)) + clock.boot_id);
  seal_meta(write.get(), databases_);
  write.commit();
}

bool LmdbLog::wait_past_or(Position position, std::chrono::milliseconds timeout,
                           const WakeSignal::Condition& other) const {
  return committed_.wait(timeout, look_every_, [&] { return other() || head().position > position; });
}

}  // namespace pixledger::eventstore
