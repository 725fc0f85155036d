#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <map>
#include <random>
#include <set>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "base/platform/durable_files.h"
#include "eventstore/lmdb/lmdb_log.h"
#include "eventstore/lmdb/planted.h"
#include "eventstore/log/stream_events.h"
#include "tests/eventstore/lmdb/forked_child.h"
#include "tests/power_loss/disk.h"
#include "tests/power_loss/recording.h"

// A ledger's log alone, written by processes under the recorder: what a disk may hold after a loss of power
// at moments of it, opened and checked. Far more images a second than with a server, and this program can
// have a planted fault, which some image must show.
namespace {

using namespace pixledger;
using namespace pixledger::tests;
using namespace pixledger::eventstore;
namespace fs = std::filesystem;

const std::map<std::string, Planted> kFaults{
    {"journal-unsynced", Planted::kJournalUnsynced},
    {"slot-before-sync", Planted::kSlotBeforeSync},
    {"reader-released-early", Planted::kReaderReleasedEarly},
    {"stale-readers-cleared-by-all", Planted::kStaleReadersClearedByAll},
    {"commit-before-journal", Planted::kCommitBeforeJournal},
    {"segments-reused-early", Planted::kSegmentsReusedEarly},
    {"crc-unchecked", Planted::kCrcUnchecked},
    {"one-meta-restored", Planted::kOneMetaRestored}};

std::optional<Planted> planted_fault;

LmdbOptions with_journal() {
  auto options = one_gigabyte();
  options.journal = true;
  return options;
}

// --- the writers ---

constexpr int kRounds = 6;
constexpr std::uint32_t kCommitsOfRound = 40;

// What was acknowledged or shown, as a file that the recording has with everything else.
class Shown {
 public:
  explicit Shown(const fs::path& root) : file_(root / "shown", O_WRONLY | O_CREAT | O_APPEND) {}
  void show(Position position) const {
    const auto number = position.value();
    if (::write(file_.number(), &number, sizeof number) != sizeof number) std::abort();
  }

 private:
  const Descriptor file_;
};

void append(LogWrite& write, std::mt19937& random) {
  auto batch = next_of_stream(write);
  auto& record = batch.records.front();
  record.bytes += std::string(random() % 20'000, static_cast<char>('a' + random() % 26));
  if (random() % 2 == 0) record.personal = "person" + std::string(random() % 3'000, 'p');
  record.claims.emplace_back("claim-" + std::to_string(record.version));
  batch.idempotency.push_back({sha256(record.bytes), "answer " + std::to_string(record.version), {}});
  write.append(batch);
}

// The process that keeps the checkpoints ends inside another one's write, and its readers are cleared.
void write_beside_dying_keeper(const fs::path& ledger, const Shown& shown, std::mt19937& random) {
  Child keeper([&](const auto& say_ready) {
    const LmdbLog log(ledger, with_journal());
    say_ready();
    while (true) ::pause();
    return false;
  });
  if (!keeper.wait_until_ready()) std::abort();
  LmdbLog log(ledger, with_journal());
  for (std::uint32_t i = 0; i < kCommitsOfRound; ++i) {
    const auto write = log.begin_write();
    if (i == kCommitsOfRound / 2) {
      keeper.kill();
      log.environment().clear_stale_readers();
    }
    append(*write, random);
    write->commit();
    shown.show(log.head().position);
  }
}

// One thread commits, one makes checkpoints, one reads.
void write_alone(const fs::path& ledger, const Shown& shown, std::mt19937& random) {
  LmdbLog log(ledger, with_journal());
  std::atomic<bool> is_done{false};
  std::thread checkpoints([&] {
    for (std::int64_t offset = 0; !is_done; ++offset) log.accept_clock({"boot", offset});
  });
  std::thread reader([&] {
    for (Position last; !is_done;) {
      const auto head = log.head().position;
      if (head > last) shown.show(head);
      last = head;
    }
  });
  for (std::uint32_t i = 0; i < kCommitsOfRound; ++i) {
    const auto write = log.begin_write();
    append(*write, random);
    write->commit();
    shown.show(log.head().position);
  }
  is_done = true;
  checkpoints.join();
  reader.join();
}

int write(const fs::path& root, unsigned seed) {
  std::mt19937 random(seed);
  SeededEntropy entropy(seed);
  fs::create_directories(root);
  const auto ledger = root / "ledger";
  LmdbLog::create(ledger, entropy, one_gigabyte());
  sync_directory(ledger);
  sync_directory(root);
  const Shown shown(root);
  shown.show(Position());
  for (int round = 0; round < kRounds; ++round) {
    if (round % 2 == 0 && planted_fault != Planted::kStaleReadersClearedByAll)
      write_alone(ledger, shown, random);
    else
      write_beside_dying_keeper(ledger, shown, random);
  }
  return EXIT_SUCCESS;
}

// --- the images ---

// What was shown up to a moment; nullopt: the ledger did not exist yet.
class ShownBefore {
 public:
  void apply(const Record& record) {
    if (record.kind == kRecordFile && record.path.ends_with("/shown")) inode_ = record.inode;
    if (record.kind != kRecordWrite || record.inode != inode_ || record.data.size() != sizeof(std::uint64_t))
      return;
    std::uint64_t number = 0;
    record.data.copy(reinterpret_cast<char*>(&number), sizeof number);
    newest_ = std::max(newest_.value_or(0), number);
  }
  std::optional<std::uint64_t> newest() const { return newest_; }

 private:
  std::uint64_t inode_ = 0;
  std::optional<std::uint64_t> newest_;
};

// Throws if the image lacks anything.
void check_image(const fs::path& ledger, std::uint64_t shown) {
  const auto require = [](bool holds, const std::string& what) {
    if (!holds) throw std::runtime_error(what);
  };
  for (int opening = 0; opening < 2; ++opening) {
    LmdbLog log(ledger, with_journal());
    const auto head = log.head().position;
    require(head.value() >= shown,
            "position " + std::to_string(head.value()) + " of " + std::to_string(shown));
    std::uint32_t version = 0;
    for (const auto& event : StreamEvents(log, shared_stream())) {
      ++version;
      require(event.position == Position(version), "a stream with a hole");
      require(event.bytes.starts_with("envelope " + std::to_string(version)), "another event");
      log.check({event});
      require(log.claim_holder(ClaimName("claim-" + std::to_string(version))) == shared_stream(), "no claim");
    }
    require(version == head.value(), "a stream without its last events");
    require(!log.snapshot()->problem_of_meta(), "meta");
    require(!log.snapshot()->problem_of_idempotency(), "idempotency");
    if (const auto problem = log.problem_of_files()) throw std::runtime_error(*problem);
    std::mt19937 random(version);
    const auto write = log.begin_write();
    append(*write, random);
    write->commit();
    shown = head.value() + 1;
  }
}

// Returns whether there was a checkpoint.
bool let_newest_checkpoint_decay(const fs::path& ledger) {
  try {
    const auto slot_at = (CheckpointFile::newest_in(ledger).sequence + 1) % 2 * 4096;
    const Descriptor file(ledger / "checkpoint", O_RDWR);
    return ::pwrite(file.number(), "decay", 5, static_cast<off_t>(slot_at + 100)) == 5;
  } catch (const LogCorrupt&) {
    return false;
  }
}

// What a disk has lost that was whole is recovered all the same, or the ledger refused.
void check_decayed_image(const fs::path& ledger, std::uint64_t shown) {
  if (!let_newest_checkpoint_decay(ledger)) return;
  try {
    check_image(ledger, shown);
  } catch (const LogCorrupt&) {
  }
}

using CheckImage = void (*)(const fs::path& ledger, std::uint64_t shown);

// In a process of its own, since a damaged image may end it. Returns what is wrong, or an empty text.
std::string problem_of_image(CheckImage check, const fs::path& ledger, std::uint64_t shown) {
  int ends[2];
  if (::pipe(ends) != 0) std::abort();
  const auto pid = ::fork();
  if (pid == 0) {
    std::string problem;
    try {
      check(ledger, shown);
    } catch (const std::exception& error) {
      problem = error.what();
    }
    [[maybe_unused]] const auto written = ::write(ends[1], problem.data(), problem.size());
    ::_exit(problem.empty() ? 0 : 1);
  }
  ::close(ends[1]);
  std::string problem;
  std::array<char, 1000> bytes;
  for (auto count = ::read(ends[0], bytes.data(), bytes.size()); count > 0;
       count = ::read(ends[0], bytes.data(), bytes.size()))
    problem.append(bytes.data(), static_cast<std::size_t>(count));
  ::close(ends[0]);
  int status = 0;
  ::waitpid(pid, &status, 0);
  if (WIFSIGNALED(status)) return "ended by signal " + std::to_string(WTERMSIG(status));
  return status == 0 ? std::string() : problem + " ";
}

struct Options {
  std::string fault;
  std::size_t images = 2000;
  unsigned seed = 1;
  std::string write;  // the directory; set for the recorded process
};

class Images {
 public:
  explicit Images(const Options& options) : options_(options) {}

  int run() {
    record();
    const auto cuts = chosen_cuts();
    Disk disk(root_.string());
    ShownBefore shown;
    std::size_t at = 0;
    for (const auto cut : cuts) {
      for (; at < cut; ++at) {
        disk.apply(records_[at]);
        shown.apply(records_[at]);
      }
      if (!shown.newest() || !check_cut(disk, cut, *shown.newest())) continue;
      return planted_fault ? EXIT_SUCCESS : EXIT_FAILURE;
    }
    std::cout << made_ << " images, " << records_.size() << " records" << std::endl;
    return planted_fault ? EXIT_FAILURE : EXIT_SUCCESS;
  }

 private:
  static constexpr std::size_t kSubsets = 4;
  static constexpr std::size_t kWithoutDecay = 4 + kSubsets;
  static constexpr std::size_t kChoices = kWithoutDecay + 1;

  void record() {
    recording_ = std::make_unique<Recording>(directory_.path() / "recording", root_, 0);
    const auto pid = ::fork();
    if (pid == 0) {
      auto environment = recording_->environment();
      for (auto& variable : environment) ::putenv(variable.data());
      const auto self = fs::read_symlink("/proc/self/exe").string();
      const auto seed = std::to_string(options_.seed);
      ::execl(self.c_str(), self.c_str(), "--write", root_.c_str(), "--seed", seed.c_str(), "--fault",
              options_.fault.c_str(), nullptr);
      ::_exit(127);
    }
    int status = 0;
    ::waitpid(pid, &status, 0);
    if (status != 0) throw std::runtime_error("the recorded process has failed");
    records_ = recording_->records();
  }

  // Just before and just after each sync, as many as the images allow.
  std::vector<std::size_t> chosen_cuts() const {
    std::set<std::size_t> all;
    for (std::size_t i = 0; i < records_.size(); ++i) {
      if (records_[i].kind != kRecordSync && records_[i].kind != kSyncRange) continue;
      all.insert(i);
      all.insert(i + 1);
    }
    std::vector<std::size_t> cuts(all.begin(), all.end());
    std::shuffle(cuts.begin(), cuts.end(), std::mt19937(options_.seed));
    cuts.resize(std::min(cuts.size(), options_.images / kChoices));
    std::sort(cuts.begin(), cuts.end());
    return cuts;
  }

  // Returns whether an image is broken.
  bool check_cut(const Disk& disk, std::size_t cut, std::uint64_t shown) {
    for (std::size_t i = 0; i < kChoices; ++i) {
      const auto what = static_cast<ImageChoice::What>(std::min<std::size_t>(i, 4));
      const ImageChoice choice{what, options_.seed * 1'000'003 + cut * kSubsets + i};
      const auto image = directory_.path() / "image";
      disk.make_image(image, choice, {});
      const CheckImage check = i < kWithoutDecay ? check_image : check_decayed_image;
      const auto problem = problem_of_image(check, image / "ledger", shown);
      fs::remove_all(image);
      ++made_;
      if (problem.empty()) continue;
      std::cout << "image " << made_ << " at record " << cut << " of seed " << options_.seed << ", choice "
                << i << ", is broken: " << problem << std::endl;
      return true;
    }
    return false;
  }

  const Options options_;
  const TemporaryDirectory directory_;
  const fs::path root_ = directory_.path() / "data";
  std::unique_ptr<Recording> recording_;
  std::vector<Record> records_;
  std::size_t made_ = 0;
};

}  // namespace

namespace pixledger::eventstore {

bool is_planted(Planted fault) {
  // Asked right after the reader has been released: others get time to use its pages.
  if (planted_fault == Planted::kReaderReleasedEarly && fault == Planted::kSlotBeforeSync)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return planted_fault == fault;
}

}  // namespace pixledger::eventstore

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Images of a ledger's disk after a loss of power");
  app.add_option("--fault", options.fault, "The planted fault, which an image must show");
  app.add_option("--images", options.images, "How many images at most");
  app.add_option("--seed", options.seed, "Of the load and of the images");
  app.add_option("--write", options.write, "Write a ledger there, and nothing else");
  CLI11_PARSE(app, argc, argv);
  ::setenv("TMPDIR", fs::is_directory("/dev/shm") ? "/dev/shm" : "/tmp", 0);
  if (!options.fault.empty()) planted_fault = kFaults.at(options.fault);
  try {
    return options.write.empty() ? Images(options).run() : write(options.write, options.seed);
  } catch (const std::exception& error) {
    std::cerr << error.what() << std::endl;
    return 2;
  }
}
