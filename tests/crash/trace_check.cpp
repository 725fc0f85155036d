#include "tests/crash/trace_check.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>
#include <system_error>
#include <unistd.h>
#include <unordered_map>

namespace pixledger::tests {
namespace {

struct Span {
  std::uint64_t begin;
  std::uint64_t end;
};

// The first span that began after `moment`; spans are in the order of their beginnings.
const Span* first_after(const std::vector<Span>& spans, std::uint64_t moment) {
  const auto found =
      std::upper_bound(spans.begin(), spans.end(), moment,
                       [](std::uint64_t value, const Span& span) { return value < span.begin; });
  return found == spans.end() ? nullptr : &*found;
}

struct Calls {
  std::vector<Span> records;  // those with a charge
  std::vector<Span> syncs;
  std::vector<Span> metas;
  std::unordered_map<std::string, Span> first_record_of;  // by charge id
};

Calls sort_out(const std::vector<TraceRecord>& records) {
  Calls calls;
  for (const auto& record : records) {
    const Span span{record.begin, record.end};
    // A failed write still counts as a record; a failed sync or meta write proves nothing.
    if (record.id[0] != '\0') {
      if (record.kind != kTraceJournalWrite) continue;
      calls.first_record_of.emplace(record.id, span);
      if (calls.records.empty() || calls.records.back().begin != span.begin) calls.records.push_back(span);
      continue;
    }
    if (record.kind == kTraceSync && record.result == 0) calls.syncs.push_back(span);
    if (record.kind == kTraceMetaWrite && record.result == 0) calls.metas.push_back(span);
  }
  return calls;
}

// Returns "" if there is no violation.
std::string violation_of_reply(const Calls& calls, const std::string& id, std::uint64_t reply_begin) {
  const auto record = calls.first_record_of.find(id);
  if (record == calls.first_record_of.end() || record->second.end >= reply_begin)
    return id + " was answered before a record with it was written";
  const Span* sync = first_after(calls.syncs, record->second.end);
  if (!sync || sync->end >= reply_begin) return id + " was answered before its record was synced";
  const Span* meta = first_after(calls.metas, sync->end);
  if (!meta || meta->end >= reply_begin)
    return id + " was answered before its commit's meta page was written";
  return {};
}

// Returns "" if there is no violation.
std::string violation_of_commit(const Calls& calls, const Span& meta) {
  const auto after =
      std::lower_bound(calls.records.begin(), calls.records.end(), meta.begin,
                       [](const Span& span, std::uint64_t value) { return span.begin < value; });
  if (after == calls.records.begin()) return {};
  const Span* sync = first_after(calls.syncs, std::prev(after)->end);
  if (sync && sync->end < meta.begin) return {};
  return "the meta page was written at " + std::to_string(meta.begin) + " while a record was not synced";
}

}  // namespace

TraceFile::TraceFile(std::filesystem::path file, std::size_t records_max)
    : file_(std::move(file)),
      bytes_(sizeof(TraceHeader) + records_max * sizeof(TraceRecord)),
      header_(nullptr) {
  const int descriptor = ::open(file_.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (descriptor < 0)
    throw std::system_error(errno, std::generic_category(), "cannot open " + file_.string());
  const bool sized = ::ftruncate(descriptor, static_cast<off_t>(bytes_)) == 0;
  void* mapped =
      sized ? ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0) : MAP_FAILED;
  ::close(descriptor);
  if (mapped == MAP_FAILED)
    throw std::system_error(errno, std::generic_category(), "cannot map " + file_.string());
  header_ = static_cast<TraceHeader*>(mapped);
  header_->records_max = records_max;
}

TraceFile::~TraceFile() { ::munmap(header_, bytes_); }

std::vector<std::string> TraceFile::environment(const std::filesystem::path& ledger_directory) const {
  return {"LD_PRELOAD=" PIXLEDGER_FSYNC_TRACE, "PIXLEDGER_TRACE=" + file_.string(),
          "PIXLEDGER_TRACE_LEDGER=" + (ledger_directory / "data.mdb").string(),
          // AddressSanitizer requires to be the first library; the interposer forwards its calls to it.
          "ASAN_OPTIONS=verify_asan_link_order=0"};
}

void TraceFile::fail_pages_with(int error) {
  __atomic_store_n(&header_->fail_pages_with, error, __ATOMIC_SEQ_CST);
}

void TraceFile::fail_metas_with(int error) {
  __atomic_store_n(&header_->fail_metas_with, error, __ATOMIC_SEQ_CST);
}

void TraceFile::fail_journal_with(int error) {
  __atomic_store_n(&header_->fail_journal_with, error, __ATOMIC_SEQ_CST);
}

void TraceFile::fail_syncs_with(int error) {
  __atomic_store_n(&header_->fail_syncs_with, error, __ATOMIC_SEQ_CST);
}

std::vector<TraceRecord> TraceFile::records() const {
  const auto count = __atomic_load_n(&header_->next_record, __ATOMIC_SEQ_CST);
  if (count > header_->records_max) throw std::runtime_error("the trace is too small for this run");
  const auto* first = reinterpret_cast<const TraceRecord*>(header_ + 1);
  std::vector<TraceRecord> complete;
  for (std::uint64_t i = 0; i < count; ++i) {
    if (__atomic_load_n(&first[i].end, __ATOMIC_ACQUIRE) != 0) complete.push_back(first[i]);
  }
  return complete;
}

TraceVerdict check_trace(std::vector<TraceRecord> records) {
  std::sort(records.begin(), records.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
  const auto calls = sort_out(records);
  TraceVerdict verdict;
  verdict.commits = calls.metas.size();
  for (const auto& record : records) {
    if (record.kind != kTraceSend || record.result != 201 || record.id[0] == '\0') continue;
    // An id occurs twice, in Location and in the body.
    if (!verdict.replied_ids.empty() && verdict.replied_ids.back() == record.id) continue;
    verdict.replied_ids.emplace_back(record.id);
    auto violation = violation_of_reply(calls, record.id, record.begin);
    if (!violation.empty()) verdict.violations.push_back(std::move(violation));
  }
  for (const auto& meta : calls.metas) {
    auto violation = violation_of_commit(calls, meta);
    if (!violation.empty()) verdict.violations.push_back(std::move(violation));
  }
  return verdict;
}

}  // namespace pixledger::tests
