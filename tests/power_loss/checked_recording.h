#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <sys/types.h>
#include <vector>

#include "tests/power_loss/disk.h"
#include "tests/power_loss/recording.h"
#include "tests/power_loss/shown.h"

namespace pixledger::tests {

// An image: how many records have happened, and which of the rest has reached the disk.
struct ImageName {
  std::size_t cut = 0;
  ImageChoice choice;

  // CUT.WHAT.SEED
  std::string text() const;
  static ImageName parse(const std::string& text);
};

// A recording and the images that losses of power during it may leave. The recording must outlive it.
class CheckedRecording {
 public:
  // Throws std::runtime_error if a process did what the recorder does not see, also if it shows only in the
  // recorded directory, where that still exists.
  CheckedRecording(const Recording& recording, std::uint64_t seed);
  ~CheckedRecording();
  CheckedRecording(const CheckedRecording&) = delete;
  CheckedRecording& operator=(const CheckedRecording&) = delete;

  // Just before and just after each sync that programs have made.
  std::vector<std::size_t> cuts() const;
  // Makes an image in a directory that does not exist, and returns what programs had shown by then. Leaves
  // out the entries of the root in `without`.
  Shown make(const ImageName& name, const std::filesystem::path& directory,
             const std::set<std::string>& without = {}) const;
  // Checks about so many images, some at each cut, and prints how many and the problems of the first broken
  // one, which it returns.
  std::optional<ImageName> check(std::size_t images);
  // What is wrong with one of them.
  std::vector<std::string> problems_of(const ImageName& name) const;

 private:
  // Shared with a process that checks the images of one cut.
  struct Progress {
    std::uint64_t done;
    std::uint64_t what;
    std::uint64_t seed;
  };
  struct Job {
    std::size_t cut;
    Progress* progress;
  };

  static std::filesystem::path root_of(const std::vector<Record>& records);
  void advance(Disk& disk, Shown& shown, std::size_t& at, std::size_t cut) const;
  void compare_with_directory(const std::filesystem::path& image) const;
  void start_job(const Disk& disk, const Shown& shown, std::size_t cut, std::size_t count);
  void await_job();
  bool check_images(const Disk& disk, const Shown& shown, std::size_t cut, std::size_t count,
                    Progress& progress) const;

  const std::uint64_t seed_;
  std::vector<Record> records_;
  std::filesystem::path images_in_;
  std::multiset<std::uint64_t> deliveries_;
  std::map<pid_t, Job> jobs_;
  std::optional<ImageName> broken_;
  std::uint64_t images_ = 0;
};

}  // namespace pixledger::tests
