#include "http/metrics/readiness.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include <utility>

#include "base/http/metrics/families.h"
#include "eventstore/lmdb/lmdb_environment.h"
#include "eventstore/tree/merkle.h"

namespace pixledger::http {
namespace {

// Probes come every few seconds, so a view that lags this long is really behind.
constexpr std::chrono::milliseconds kLagMax{1000};
constexpr std::size_t kCheckedAtOnce = 256;

// Fields of /proc/self/stat, counted from 1 as in proc(5). The first three are not parsed.
std::vector<double> process_fields() {
  std::ifstream file("/proc/self/stat");
  std::string line;
  std::getline(file, line);
  // The name in the second field may contain anything; the last parenthesis ends it.
  std::istringstream rest(line.substr(std::min(line.size(), line.rfind(')') + 2)));
  std::string state;
  rest >> state;
  std::vector<double> fields(4, 0);
  for (double value = 0; rest >> value;) fields.push_back(value);
  return fields;
}

// Seconds since 1970.
double boot_time_s() {
  std::ifstream file("/proc/stat");
  std::string word;
  double value = 0;
  while (file >> word) {
    if (word == "btime" && file >> value) return value;
  }
  return 0;
}

void add_process(Families& families) {
  constexpr std::size_t kUserTicks = 14, kSystemTicks = 15, kStartTicks = 22, kResidentPages = 24;
  const auto fields = process_fields();
  if (fields.size() <= kResidentPages) return;
  const auto ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
  families.add(Metrics::kProcessStartTimeSeconds, boot_time_s() + fields[kStartTicks] / ticks);
  families.add(Metrics::kProcessCpuSecondsTotal, (fields[kUserTicks] + fields[kSystemTicks]) / ticks);
  families.add(Metrics::kProcessResidentMemoryBytes,
               fields[kResidentPages] * static_cast<double>(::sysconf(_SC_PAGESIZE)));
}

void add_files(Families& families) {
  std::size_t open = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) ++open;
  families.add(Metrics::kProcessOpenFds, static_cast<double>(open));
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0)
    families.add(Metrics::kProcessMaxFds, static_cast<double>(limit.rlim_cur));
}

void add_disk(Families& families, const std::filesystem::path& directory) {
  struct statvfs info {};
  if (::statvfs(directory.c_str(), &info) != 0) return;
  const auto block = static_cast<double>(info.f_frsize);
  families.add(Metrics::kDiskBytes, static_cast<double>(info.f_blocks) * block);
  families.add(Metrics::kDiskFreeBytes, static_cast<double>(info.f_bavail) * block);
}

}  // namespace

std::string Readiness::clock_fault(const Head& head) {
  // A shared ledger takes its time from PostgreSQL's clock. The local clock does not matter as long as both
  // agree.
  const auto there = cluster_ ? cluster_->time_there() : std::nullopt;
  if (cluster_ && !there) return {};
  const std::lock_guard lock(mutex_);
  try {
    clock_guard_.time_after(head, there);
    return {};
  } catch (const eventstore::LogUnavailable& fault) {
    return fault.what();
  }
}

std::string Readiness::ledger_fault(const Head& head) {
  // Without PostgreSQL its clock cannot be checked.
  auto fault = cluster_ ? cluster_->fault() : std::string();
  if (fault.empty()) fault = clock_fault(head);
  if (!fault.empty()) return fault;
  // Reads continue while writes await an operator's decision, on all nodes alike.
  fault = commands_.recent_fault();
  return fault.starts_with(eventstore::kWritesStopped) ? std::string() : fault;
}

void Readiness::note(const std::exception& fault) {
  // Damaged pages may be those of the read models, which are rebuilt.
  const bool is_damage = dynamic_cast<const eventstore::LogCorrupt*>(&fault) != nullptr;
  const std::lock_guard lock(mutex_);
  if (is_damage && damage_.empty()) damage_ = fault.what();
}

std::string Readiness::damage() {
  try {
    check_some_events(log_.head());
  } catch (const eventstore::LogUnavailable&) {
    // Reported elsewhere.
  } catch (const eventstore::LmdbDamaged& fault) {
    const std::lock_guard lock(mutex_);
    if (damage_.empty()) damage_ = fault.what();
  } catch (const std::exception& fault) {
    note(fault);
  }
  const std::lock_guard lock(mutex_);
  return damage_;
}

// Checks the newest events, and the next ones of a round through all.
void Readiness::check_some_events(const Head& head) {
  if (head.position == Position()) return;
  Position after;
  {
    const std::lock_guard lock(mutex_);
    if (checked_ >= head.position) checked_ = {};
    after = std::exchange(checked_, Position(checked_.value() + kCheckedAtOnce));
  }
  check_events(Position(head.position.value() - 1), 1);
  check_events(after, kCheckedAtOnce);
}

void Readiness::check_events(Position after, std::size_t count) {
  for (const auto& event : log_.read_after(after, count)) {
    const auto leaf = eventstore::leaf_hash(event.bytes, bytes_of(event.personal_digest));
    if (log_.leaf_hash(event.position) != leaf)
      throw eventstore::LogCorrupt("the event at position " + std::to_string(event.position.value()) +
                                   " is not the one whose leaf the tree has");
  }
}

Violations Readiness::reasons() {
  if (draining_) return {{"server", "is stopping"}};
  auto damaged = damage();
  if (!damaged.empty()) return {{"ledger", "is damaged: " + damaged + " (run pixledger verify)"}};
  Violations reasons;
  const auto head = log_.head();
  if (!projector_.wait_applied(head.position, kLagMax)) {
    // They may have caught up just after the wait.
    const auto applied = std::min(projector_.applied(), head.position);
    std::string reason = "are " + std::to_string(head.position.value() - applied.value()) + " events behind";
    const auto fault = projector_.fault();
    if (!fault.empty()) reason += ": " + fault;
    reasons.push_back({"views", std::move(reason)});
  }
  auto refusal = ledger_fault(head);
  if (!refusal.empty()) reasons.push_back({"ledger", "takes no commands: " + refusal});
  return reasons;
}

std::vector<prometheus::MetricFamily> HealthMetrics::Collect() const {
  const auto reasons = readiness_.reasons();
  const bool takes_commands = std::none_of(reasons.begin(), reasons.end(),
                                           [](const auto& reason) { return reason.field == "ledger"; }) &&
                              readiness_.write_stop().empty();
  Families families;
  families.add(Metrics::kReady, reasons.empty() ? 1 : 0);
  families.add(Metrics::kLedgerTakesCommands, takes_commands ? 1 : 0);
  families.add(Metrics::kProjectionFaulted, projector_.fault().empty() ? 0 : 1);
  add_process(families);
  add_files(families);
  add_disk(families, directory_);
  return families.take();
}

}  // namespace pixledger::http
