#include "http/metrics/health_metrics.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace pixledger::http {
namespace {

using prometheus::MetricFamily;
using prometheus::MetricType;

MetricFamily value_family(const char* name, const char* help, double value,
                          MetricType type = MetricType::Gauge) {
  MetricFamily value_family{name, help, type, {}};
  auto& metric = value_family.metric.emplace_back();
  metric.gauge.value = value;
  metric.counter.value = value;
  return value_family;
}

// Fields of /proc/self/stat, counted from 1 as proc(5) does; those before 4 are not asked for.
std::vector<double> process_fields() {
  std::ifstream file("/proc/self/stat");
  std::string line;
  std::getline(file, line);
  // The name in the second field may hold anything but ends with the last parenthesis.
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

void add_process(std::vector<MetricFamily>& families) {
  constexpr std::size_t kUserTicks = 14, kSystemTicks = 15, kStartTicks = 22, kResidentPages = 24;
  const auto fields = process_fields();
  if (fields.size() <= kResidentPages) return;
  const auto ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
  families.push_back(value_family("process_start_time_seconds", "When the server started, as a Unix time",
                                  boot_time_s() + fields[kStartTicks] / ticks));
  families.push_back(value_family("process_cpu_seconds_total", "Processor time that the server has used",
                                  (fields[kUserTicks] + fields[kSystemTicks]) / ticks, MetricType::Counter));
  families.push_back(value_family("process_resident_memory_bytes", "Memory that the server has in use",
                                  fields[kResidentPages] * static_cast<double>(::sysconf(_SC_PAGESIZE))));
}

void add_files(std::vector<MetricFamily>& families) {
  std::size_t open = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) ++open;
  families.push_back(value_family("process_open_fds", "Open files and connections of the server",
                                  static_cast<double>(open)));
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0)
    families.push_back(
        value_family("process_max_fds", "The most it may have", static_cast<double>(limit.rlim_cur)));
}

void add_disk(std::vector<MetricFamily>& families, const std::filesystem::path& directory) {
  struct statvfs info {};
  if (::statvfs(directory.c_str(), &info) != 0) return;
  const auto block = static_cast<double>(info.f_frsize);
  families.push_back(value_family("pixledger_disk_bytes",
                                  "Size of the file system that holds the data directory",
                                  static_cast<double>(info.f_blocks) * block));
  families.push_back(value_family("pixledger_disk_free_bytes", "What is left of it for the server",
                                  static_cast<double>(info.f_bavail) * block));
}

}  // namespace

std::vector<MetricFamily> HealthMetrics::Collect() const {
  const auto reasons = readiness_.reasons();
  const bool takes_commands = std::none_of(reasons.begin(), reasons.end(),
                                           [](const auto& reason) { return reason.field == "ledger"; }) &&
                              readiness_.write_stop().empty();
  std::vector<MetricFamily> families;
  families.push_back(value_family("pixledger_ready", "1 when /readyz says 200", reasons.empty() ? 1 : 0));
  families.push_back(value_family(
      "pixledger_ledger_takes_commands",
      "0 while the clock is not trusted or writes are stopped, and after a batch of commands failed",
      takes_commands ? 1 : 0));
  families.push_back(value_family("pixledger_projection_faulted",
                                  "1 while the read models cannot follow the ledger",
                                  projector_.fault().empty() ? 0 : 1));
  add_process(families);
  add_files(families);
  add_disk(families, directory_);
  return families;
}

}  // namespace pixledger::http
