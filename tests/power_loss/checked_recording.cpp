#include "tests/power_loss/checked_recording.h"

#include <algorithm>
#include <chrono>
#include <iostream>
#include <ranges>
#include <sstream>
#include <stdexcept>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "base/platform/durable_files.h"
#include "tests/power_loss/image_check.h"

namespace pixledger::tests {
namespace {

namespace fs = std::filesystem;

// What an in-process check does not read: what is made anew, and the accounts.
const std::set<std::string> kUnread{"views", "accounts", "traces.sqlite", "traces.sqlite-wal", "key-uses"};
constexpr std::size_t kPrintedMax = 5;

// Made anew after a loss of power: their memory is mapped, which is not recorded.
bool is_made_anew(const fs::path& file) {
  const auto name = file.filename().string();
  return name == "lock.mdb" || name == "wake" || name.ends_with("-shm");
}

std::set<fs::path> entries_below(const fs::path& directory) {
  std::set<fs::path> found;
  for (const auto& entry : fs::recursive_directory_iterator(directory))
    found.insert(fs::relative(entry.path(), directory));
  return found;
}

// Images are small and many, and need no disk.
fs::path directory_for_images() {
  static unsigned made = 0;
  const fs::path memory = "/dev/shm";
  return (fs::is_directory(memory) ? memory : fs::temp_directory_path()) /
         ("pixledger-images-" + std::to_string(::getpid()) + "-" + std::to_string(made++));
}

}  // namespace

std::string ImageName::text() const {
  return std::to_string(cut) + "." + std::to_string(static_cast<int>(choice.what)) + "." +
         std::to_string(choice.seed);
}

ImageName ImageName::parse(const std::string& text) {
  ImageName name;
  int what = 0;
  char dot = 0;
  std::istringstream parts(text);
  if (!(parts >> name.cut >> dot >> what >> dot >> name.choice.seed))
    throw std::runtime_error("an image is CUT.WHAT.SEED");
  name.choice.what = static_cast<ImageChoice::What>(what);
  return name;
}

CheckedRecording::CheckedRecording(const Recording& recording, std::uint64_t seed)
    : seed_(seed), records_(recording.records()), images_in_(directory_for_images()) {
  fs::create_directory(images_in_);
  const auto last = images_in_ / "last";
  try {
    make({records_.size(), {ImageChoice::What::kEverything}}, last);
    compare_with_directory(last);
    deliveries_ = delivery_positions(last);
    fs::remove_all(last);
  } catch (...) {
    fs::remove_all(images_in_);
    throw;
  }
}

CheckedRecording::~CheckedRecording() {
  std::error_code ignored;
  fs::remove_all(images_in_, ignored);
}

// What libc writes unseen, as fwrite() does, shows here.
void CheckedRecording::compare_with_directory(const fs::path& image) const {
  const auto root = root_of(records_);
  if (!fs::exists(root)) return;
  auto there = entries_below(root);
  auto recorded = entries_below(image);
  for (auto* entries : {&there, &recorded}) std::erase_if(*entries, is_made_anew);
  if (there != recorded) {
    std::vector<fs::path> differing;
    std::ranges::set_symmetric_difference(there, recorded, std::back_inserter(differing));
    throw std::runtime_error("the recorder has missed how " + (root / differing.front()).string() +
                             " came or went");
  }
  for (const auto& name : there) {
    if (fs::is_regular_file(root / name) && read_if_there(root / name) != read_if_there(image / name))
      throw std::runtime_error("the recorder has missed a write to " + (root / name).string());
  }
}

fs::path CheckedRecording::root_of(const std::vector<Record>& records) {
  const auto mark = records.at(0).data;  // "data PATH"
  return std::string(mark.substr(mark.find(' ') + 1));
}

// Applies the records before a cut.
void CheckedRecording::advance(Disk& disk, Shown& shown, std::size_t& at, std::size_t cut) const {
  for (; at < cut; ++at) {
    disk.apply(records_[at]);
    shown.apply(records_[at]);
  }
}

std::vector<std::size_t> CheckedRecording::cuts() const {
  std::set<std::size_t> cuts;
  for (std::size_t i = 0; i < records_.size(); ++i) {
    if (records_[i].kind == kRecordMark && records_[i].data == kBegins) cuts.clear();
    if (records_[i].kind == kRecordSync || records_[i].kind == kSyncRange) cuts.insert({i, i + 1});
  }
  return {cuts.begin(), cuts.end()};
}

Shown CheckedRecording::make(const ImageName& name, const fs::path& directory,
                             const std::set<std::string>& without) const {
  Disk disk(root_of(records_));
  Shown shown;
  std::size_t at = 0;
  advance(disk, shown, at, name.cut);
  disk.make_image(directory, name.choice, without);
  return shown;
}

std::vector<std::string> CheckedRecording::problems_of(const ImageName& name) const {
  const auto image = images_in_ / "again";
  const auto shown = make(name, image, kUnread);
  auto problems = problems_of_image(image, shown, deliveries_);
  fs::remove_all(image);
  return problems;
}

std::optional<ImageName> CheckedRecording::check(std::size_t images) {
  const auto all = cuts();
  const auto of_each = std::max(kFixedChoices + kKindsOfDisks, images / std::max<std::size_t>(1, all.size()));
  const auto started = std::chrono::steady_clock::now();
  Disk disk(root_of(records_));
  Shown shown;
  std::size_t at = 0;
  for (const auto cut : all) {
    advance(disk, shown, at, cut);
    if (jobs_.size() >= std::max(1U, std::thread::hardware_concurrency())) await_job();
    if (broken_) break;
    start_job(disk, shown, cut, of_each);
  }
  while (!jobs_.empty()) await_job();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - started;
  std::cout << records_.size() << " records, " << all.size() << " moments at syncs, " << images_
            << " images, " << shown.charges().size() << " charges and " << shown.heads().size()
            << " tree heads shown, " << deliveries_.size() << " deliveries, " << took.count() << " s"
            << std::endl;
  return broken_;
}

// A process for each cut: a damaged file may crash the one that reads it.
void CheckedRecording::start_job(const Disk& disk, const Shown& shown, std::size_t cut, std::size_t count) {
  auto* const progress = static_cast<Progress*>(
      ::mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  std::cout << std::flush;
  const pid_t child = ::fork();
  if (child < 0 || progress == MAP_FAILED) throw std::runtime_error("cannot start a process");
  if (child == 0) ::_exit(check_images(disk, shown, cut, count, *progress) ? 0 : 1);
  jobs_.emplace(child, Job{cut, progress});
}

void CheckedRecording::await_job() {
  int status = 0;
  const auto ended = jobs_.find(::wait(&status));
  if (ended == jobs_.end()) throw std::runtime_error("an unknown process has ended");
  const auto& [cut, progress] = ended->second;
  images_ += progress->done;
  if (status != 0 && !broken_) {
    broken_ = ImageName{cut, {static_cast<ImageChoice::What>(progress->what), progress->seed}};
    if (WIFSIGNALED(status)) std::cout << "reading it crashed by signal " << WTERMSIG(status) << "\n";
  }
  ::munmap(progress, sizeof(Progress));
  jobs_.erase(ended);
}

bool CheckedRecording::check_images(const Disk& disk, const Shown& shown, std::size_t cut, std::size_t count,
                                    Progress& progress) const {
  const auto image = images_in_ / ("image-" + std::to_string(cut));
  for (std::size_t i = 0; i < count; ++i) {
    // The kinds of disks take turns.
    const ImageChoice choice{static_cast<ImageChoice::What>(std::min(i, kFixedChoices)), (seed_ << 20) + i};
    progress.what = static_cast<std::uint64_t>(choice.what);
    progress.seed = choice.seed;
    disk.make_image(image, choice, kUnread);
    const auto problems = problems_of_image(image, shown, deliveries_);
    fs::remove_all(image);
    ++progress.done;
    if (problems.empty()) continue;
    for (const auto& problem : problems | std::views::take(kPrintedMax))
      std::cout << ImageName{cut, choice}.text() << ": " << problem << "\n";
    std::cout << std::flush;
    return false;
  }
  return true;
}

}  // namespace pixledger::tests
