#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <map>
#include <optional>
#include <random>
#include <ranges>
#include <set>
#include <sstream>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "base/platform/durable_files.h"
#include "tests/crash/server_process.h"
#include "tests/power_loss/disk.h"
#include "tests/power_loss/image_check.h"
#include "tests/power_loss/recorded_run.h"
#include "tests/power_loss/recording.h"
#include "tests/support/paths.h"
#include "tests/support/temporary_directory.h"

// Records programs at work, makes what disks may hold after a loss of power at moments of the recording, and
// checks that each such image keeps what was promised.
namespace {

using namespace pixledger;
using namespace pixledger::tests;
namespace fs = std::filesystem;

struct Options {
  RunOptions run;
  std::size_t images = 3000;
  std::size_t served = 3;
  std::string ignore;     // syncs that programs only seem to make
  std::string recording;  // one that was kept
  std::string image;      // of it
  std::string into;       // where to make it
  bool expect_loss = false;
};

// What an in-process check does not read: what is made anew, and the accounts.
const std::set<std::string> kUnread{"views", "accounts", "traces.sqlite", "traces.sqlite-wal", "key-uses"};
constexpr std::size_t kFixedChoices = 4;  // those before kSubset
constexpr std::size_t kPrintedMax = 5;

// Images are small and many, and need no disk.
fs::path directory_of_images() {
  const fs::path memory = "/dev/shm";
  return fs::is_directory(memory) ? memory : temporary_directory();
}

// An image: how many records have happened, and which of the rest has reached the disk.
struct ImageName {
  std::size_t cut = 0;
  ImageChoice choice;

  std::string text() const {
    return std::to_string(cut) + "." + std::to_string(static_cast<int>(choice.what)) + "." +
           std::to_string(choice.seed);
  }
  static ImageName parse(const std::string& text) {
    ImageName name;
    int what = 0;
    char dot = 0;
    std::istringstream parts(text);
    if (!(parts >> name.cut >> dot >> what >> dot >> name.choice.seed))
      throw std::runtime_error("an image is CUT.WHAT.SEED");
    name.choice.what = static_cast<ImageChoice::What>(what);
    return name;
  }
};

// Shared with a process that checks the images of one cut.
struct Progress {
  std::uint64_t done;
  std::uint64_t what;
  std::uint64_t seed;
};

class PowerLoss {
 public:
  explicit PowerLoss(const Options& options) : options_(options) {}

  int run() {
    if (!options_.recording.empty()) return make_again();
    const auto data = directory_.path() / "data";
    unsigned ignored = 0;
    if (options_.ignore == "files") ignored = kIgnoreFileSyncs;
    if (options_.ignore == "directories") ignored = kIgnoreDirectorySyncs;
    Recording recording(directory_.path() / "recording", data, ignored);
    run_recorded(data, recording, options_.run);
    records_ = recording.records();
    read_deliveries();
    const auto broken = check_cuts();
    if (broken) {
      const auto kept = temporary_directory() / ("power-loss-" + std::to_string(::getpid()));
      recording.keep_in(kept);
      std::cout << "image " << broken->text() << " is broken; make it again with\n  "
                << fs::read_symlink("/proc/self/exe").string() << " --recording " << kept.string()
                << " --image " << broken->text() << " --into DIRECTORY" << std::endl;
    }
    if (broken || options_.expect_loss)
      return broken.has_value() == options_.expect_loss ? EXIT_SUCCESS : EXIT_FAILURE;
    return serve_some();
  }

 private:
  // Applies the records before a cut.
  void advance(Disk& disk, Shown& shown, std::size_t& at, std::size_t cut) const {
    for (; at < cut; ++at) {
      disk.apply(records_[at]);
      shown.apply(records_[at]);
    }
  }

  Disk empty_disk() const {
    const auto mark = records_.at(0).data;  // "data PATH"
    return Disk(std::string(mark.substr(mark.find(' ') + 1)));
  }

  void read_deliveries() {
    auto disk = empty_disk();
    Shown shown;
    std::size_t at = 0;
    advance(disk, shown, at, records_.size());
    const auto image = images_in_.path() / "last";
    disk.make_image(image, {ImageChoice::What::kEverything}, kUnread);
    deliveries_ = delivery_positions(image);
  }

  // Just before and just after each sync.
  std::vector<std::size_t> cuts() const {
    std::set<std::size_t> cuts;
    for (std::size_t i = 0; i < records_.size(); ++i) {
      if (records_[i].kind == kRecordSync || records_[i].kind == kSyncRange) cuts.insert({i, i + 1});
    }
    return {cuts.begin(), cuts.end()};
  }

  std::optional<ImageName> check_cuts() {
    const auto all = cuts();
    const auto of_each = std::max<std::size_t>(kFixedChoices + 1, options_.images / all.size());
    const auto started = std::chrono::steady_clock::now();
    auto disk = empty_disk();
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

  struct Job {
    std::size_t cut;
    Progress* progress;
  };

  // A process for each cut: a damaged file may crash the one that reads it.
  void start_job(const Disk& disk, const Shown& shown, std::size_t cut, std::size_t count) {
    auto* const progress = static_cast<Progress*>(
        ::mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    std::cout << std::flush;
    const pid_t child = ::fork();
    if (child < 0 || progress == MAP_FAILED) throw std::runtime_error("cannot start a process");
    if (child == 0) ::_exit(check_images(disk, shown, cut, count, *progress) ? 0 : 1);
    jobs_.emplace(child, Job{cut, progress});
  }

  void await_job() {
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

  bool check_images(const Disk& disk, const Shown& shown, std::size_t cut, std::size_t count,
                    Progress& progress) const {
    const auto image = images_in_.path() / ("image-" + std::to_string(cut));
    for (std::size_t i = 0; i < count; ++i) {
      ImageChoice choice{static_cast<ImageChoice::What>(std::min(i, kFixedChoices)),
                         (std::uint64_t{options_.run.seed} << 20) + i};
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

  // Starts the real server and workers on images, as the machine would.
  int serve_some() {
    const auto all = cuts();
    std::mt19937_64 random(options_.run.seed);
    for (std::size_t i = 0; i < options_.served; ++i) {
      const ImageName name{all[all.size() / 4 + random() % (all.size() - all.size() / 4)],
                           {ImageChoice::What::kSubset, random()}};
      auto disk = empty_disk();
      Shown shown;
      std::size_t at = 0;
      advance(disk, shown, at, name.cut);
      const auto image = directory_.path() / ("served-" + std::to_string(i));
      disk.make_image(image, name.choice, {});
      if (shown.project().empty() || serve(image, shown)) continue;
      std::cout << "image " << name.text() << " does not serve" << std::endl;
      return EXIT_FAILURE;
    }
    std::cout << options_.served << " images served" << std::endl;
    return EXIT_SUCCESS;
  }

  static bool serve(const fs::path& image, const Shown& shown) {
    const LiveData data{image, kMapSize, shown.project(), shown.test_key()};
    ServerProcess server(data);
    server.wait_until_ready();
    if (count_wrong_answers(server.port(), data.test_key, shown.asked()) != 0) return false;
    if (shown.are_webhooks() && !starts("pixledger-webhooks", image)) return false;
    if (shown.are_emails() && !starts("pixledger-emails", image)) return false;
    return server.stop() == 0 && (shown.is_erasing() || data.verify() == 0);
  }

  static bool starts(const char* worker, const fs::path& image) {
    Process started(program_file(worker), {"--data", image.string(), "--map-size", kMapSize});
    if (started.wait_for_err("at work", std::chrono::seconds(60))) return true;
    std::cout << worker << ": " << started.err() << std::endl;
    return false;
  }

  int make_again() {
    const Recording recording(options_.recording);
    records_ = recording.records();
    read_deliveries();
    const auto name = ImageName::parse(options_.image);
    auto disk = empty_disk();
    Shown shown;
    std::size_t at = 0;
    advance(disk, shown, at, name.cut);
    disk.make_image(options_.into, name.choice, {});
    disk.make_image(directory_.path() / "checked", name.choice, kUnread);
    const auto problems = problems_of_image(directory_.path() / "checked", shown, deliveries_);
    for (const auto& problem : problems) std::cout << problem << std::endl;
    return problems.empty() ? EXIT_SUCCESS : EXIT_FAILURE;
  }

  const Options options_;
  TemporaryDirectory directory_;
  TemporaryDirectory images_in_{directory_of_images()};
  std::vector<Record> records_;
  std::multiset<std::uint64_t> deliveries_;
  std::map<pid_t, Job> jobs_;
  std::optional<ImageName> broken_;
  std::uint64_t images_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  Options options;
  options.run.seed = std::random_device()();
  CLI::App app("Checks what a loss of power may leave of a data directory", "power_loss_test");
  app.add_option("--charges", options.run.charges, "How many at least");
  app.add_option("--images", options.images, "How many about; five at least for each moment");
  app.add_option("--served", options.served, "On how many images the programs are started");
  app.add_option("--seed", options.run.seed, "Of every random choice")->envname("PIXLEDGER_SEED");
  app.add_option("--server", options.run.server, "Another server than the real one");
  app.add_option("--fault", options.run.fault, "Passed to that server");
  app.add_option("--ignore", options.ignore, "Syncs that are not made: of files or directories")
      ->check(CLI::IsMember({"files", "directories"}));
  app.add_option("--recording", options.recording, "One that was kept, to make an image again");
  app.add_option("--image", options.image, "Its name: CUT.WHAT.SEED");
  app.add_option("--into", options.into, "The directory to make it in, which must not exist");
  app.add_flag("--expect-loss", options.expect_loss, "Succeeds only if an image is broken");
  CLI11_PARSE(app, argc, argv);
  ::umask(077);  // images are not for others, either
  std::cout << "seed " << options.run.seed << std::endl;
  try {
    return PowerLoss(options).run();
  } catch (const std::exception& fault) {
    std::cout << fault.what() << "; again with PIXLEDGER_SEED=" << options.run.seed << std::endl;
    return EXIT_FAILURE;
  }
}
