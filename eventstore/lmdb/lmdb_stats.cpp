#include "eventstore/lmdb/lmdb_stats.h"

#include <algorithm>
#include <fstream>

#include "base/text/ascii.h"

namespace pixledger::eventstore {
namespace {

std::string_view next_word(std::string_view& rest) {
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  const auto word = rest.substr(0, rest.find_first_of(" \n"));
  rest.remove_prefix(word.size());
  return word;
}

// LMDB lists its readers only as text: a line "pid thread transaction" for each slot, with "-" for an idle
// reader, between headings that do not begin with a number.
int count_reader(const char* line, void* context) {
  auto& stats = *static_cast<LmdbStats*>(context);
  std::string_view rest = line;
  const auto process = whole_number<std::uint64_t>(next_word(rest));
  if (!process) return 0;
  ++stats.reader_slots;
  next_word(rest);
  const auto transaction = whole_number<std::uint64_t>(next_word(rest));
  if (!transaction) return 0;
  ++stats.readers;
  if (stats.oldest_read.value_or(UINT64_MAX) <= *transaction) return 0;
  stats.oldest_read = transaction;
  stats.oldest_reader = *process;
  return 0;
}

}  // namespace

std::string program_of(std::uint64_t pid) {
  std::ifstream in("/proc/" + std::to_string(pid) + "/comm");
  std::string name;
  return std::getline(in, name) && !name.empty() ? name : "unknown";
}

LmdbStats lmdb_stats(const LmdbEnvironment& environment) {
  LmdbStats stats;
  // LMDB returns what the callback returned, or a negative number for an error of its own.
  const int code = mdb_reader_list(environment.get(), count_reader, &stats);
  if (code < 0) throw LmdbError("mdb_reader_list", code);
  MDB_envinfo info{};
  check_lmdb(mdb_env_info(environment.get(), &info), "mdb_env_info");
  MDB_stat pages{};
  check_lmdb(mdb_env_stat(environment.get(), &pages), "mdb_env_stat");
  stats.map_bytes = info.me_mapsize;
  stats.used_bytes = (info.me_last_pgno + 1) * pages.ms_psize;
  stats.last_transaction = info.me_last_txnid;
  stats.file_bytes = std::filesystem::file_size(environment.directory() / "data.mdb");
  return stats;
}

}  // namespace pixledger::eventstore
