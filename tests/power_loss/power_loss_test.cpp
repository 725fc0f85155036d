#include <CLI/CLI.hpp>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <optional>
#include <random>
#include <sys/stat.h>
#include <unistd.h>

#include "base/platform/durable_files.h"
#include "tests/crash/server_process.h"
#include "tests/power_loss/checked_recording.h"
#include "tests/power_loss/recorded_run.h"
#include "tests/power_loss/recording.h"
#include "tests/support/paths.h"
#include "tests/support/temporary_directory.h"

// Records programs at work, makes what disks may hold after a loss of power at moments of the recording, and
// checks that each such image keeps what was promised. So does what a second loss of power leaves of some
// images while a server starts on them.
namespace {

using namespace pixledger;
using namespace pixledger::tests;
namespace fs = std::filesystem;

struct Options {
  RunOptions run;
  std::size_t images = 3000;
  std::size_t served = 3;
  std::size_t started = 2;
  std::string ignore;     // syncs that programs only seem to make
  std::string recording;  // one that was kept
  std::string image;      // of it
  std::string into;       // where to make it
  bool expect_loss = false;
};

class PowerLoss {
 public:
  explicit PowerLoss(const Options& options) : options_(options) {}

  int run() {
    if (!options_.recording.empty()) return make_again();
    unsigned ignored = 0;
    if (options_.ignore == "files") ignored = kIgnoreFileSyncs;
    if (options_.ignore == "directories") ignored = kIgnoreDirectorySyncs;
    const auto data = directory_.path() / "data";
    Recording recording(directory_.path() / "recording", data, ignored);
    try {
      run_recorded(data, recording, options_.run);
    } catch (const std::exception&) {
      recording.records();  // throws what the recorder cannot record
      throw;
    }
    CheckedRecording checked(recording, options_.run.seed);
    const auto broken = checked.check(options_.images);
    if (broken) print_how_to_make(recording, *broken, "is broken");
    if (broken || options_.expect_loss)
      return broken.has_value() == options_.expect_loss ? EXIT_SUCCESS : EXIT_FAILURE;
    return serve_some(recording, checked) && start_on_some(recording, checked) ? EXIT_SUCCESS : EXIT_FAILURE;
  }

 private:
  // Keeps the recording for it.
  void print_how_to_make(const Recording& recording, const ImageName& name, const std::string& what) {
    const auto kept =
        temporary_directory() / ("power-loss-" + std::to_string(::getpid()) + "-" + std::to_string(kept_++));
    recording.keep_in(kept);
    std::cout << "image " << name.text() << " " << what << "; make it again with\n  "
              << fs::read_symlink("/proc/self/exe").string() << " --recording " << kept.string()
              << " --image " << name.text() << " --into DIRECTORY" << std::endl;
  }

  // An image of a disk at work, not of one where the ledger is being made.
  ImageName draw(const CheckedRecording& checked) {
    const auto all = checked.cuts();
    return {all[all.size() / 4 + random_() % (all.size() - all.size() / 4)],
            {ImageChoice::What::kSubset, random_()}};
  }

  // Starts the real server and workers on images, as the machine would.
  bool serve_some(const Recording& recording, const CheckedRecording& checked) {
    for (std::size_t i = 0; i < options_.served; ++i) {
      const auto name = draw(checked);
      const auto image = directory_.path() / ("served-" + std::to_string(i));
      const auto shown = checked.make(name, image);
      try {
        if (shown.project().empty() || serve(image, shown)) continue;
      } catch (const std::exception& error) {
        std::cout << error.what() << std::endl;
      }
      print_how_to_make(recording, name, "does not serve");
      return false;
    }
    std::cout << options_.served << " images served" << std::endl;
    return true;
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

  // Power is lost again while a server starts on an image and ends.
  bool start_on_some(const Recording& first, const CheckedRecording& checked) {
    const auto records = first.records();
    for (std::size_t i = 0; i < options_.started; ++i) {
      const auto name = draw(checked);
      const auto image = directory_.path() / ("started-" + std::to_string(i));
      const auto shown = checked.make(name, image);
      if (shown.project().empty()) continue;
      Recording second(image.string() + ".recording", image, 0);
      if (shown.are_emails()) second.mark("emails");
      for (const auto& email : shown.removed_emails()) second.mark("removed " + email);
      for (std::size_t at = 1; at < name.cut; ++at) {
        if (records[at].kind == kRecordTold || records[at].kind == kRecordMark) second.repeat(records[at]);
      }
      second.add_directory();
      ServerStart start;
      start.environment = second.environment();
      {
        ServerProcess server({image, kMapSize, shown.project(), shown.test_key()}, start);
        server.wait_until_ready();
        if (server.stop() != 0) throw std::runtime_error("the server failed on image " + name.text());
      }
      CheckedRecording again(second, options_.run.seed);
      if (const auto broken = again.check(0)) {
        print_how_to_make(second, *broken, "of a start after a loss of power is broken");
        return false;
      }
    }
    return true;
  }

  int make_again() const {
    const Recording recording(options_.recording);
    const CheckedRecording checked(recording, 0);
    const auto name = ImageName::parse(options_.image);
    checked.make(name, options_.into);
    const auto problems = checked.problems_of(name);
    for (const auto& problem : problems) std::cout << problem << std::endl;
    return problems.empty() ? EXIT_SUCCESS : EXIT_FAILURE;
  }

  const Options options_;
  TemporaryDirectory directory_;
  std::mt19937_64 random_{options_.run.seed};
  unsigned kept_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  Options options;
  options.run.seed = std::random_device()();
  CLI::App app("Checks what a loss of power may leave of a data directory", "power_loss_test");
  app.add_option("--charges", options.run.charges, "How many at least");
  app.add_option("--images", options.images, "How many about; eight at least for each moment");
  app.add_option("--served", options.served, "On how many images the programs are started");
  app.add_option("--started", options.started, "On how many images a second loss of power is tried");
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
