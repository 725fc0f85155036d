#include "projections/generations/erased_views.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <thread>

#include "base/platform/owner_lock.h"
#include "projections/generations/erasure_request.h"
#include "projections/generations/generation_directory.h"

namespace pixledger::projections {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kLookEvery{20};

// Of which this program knows nothing but that they may have anything.
std::optional<fs::path> find_newer_generation(const fs::path& views) {
  const auto all = find_generations(views);
  if (all.empty() || all.front().set_version <= kViewSetVersion) return std::nullopt;
  return all.front().path;
}

template <class Choose>
void remove_generations(const fs::path& views, Choose choose) {
  for (const auto& entry : fs::directory_iterator(views)) {
    if (entry.is_directory() && choose(entry.path())) fs::remove_all(entry.path());
  }
}

}  // namespace

bool wait_until(std::chrono::milliseconds patience, const std::function<bool()>& done) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (!done()) {
    if (std::chrono::steady_clock::now() >= deadline) return false;
    std::this_thread::sleep_for(kLookEvery);
  }
  return true;
}

void erase_from_views(const fs::path& views, Position erased, std::chrono::milliseconds patience) {
  if (!fs::is_directory(views)) return;
  // What is being built may have read them before they were removed, and no server looks at it yet.
  const auto rebuilds = views / kRebuildLock;
  std::unique_ptr<OwnerLock> no_rebuild;
  if (!wait_until(patience, [&] { return (no_rebuild = OwnerLock::try_take(rebuilds)) != nullptr; }))
    throw ErasureHeldUp("the read models are being rebuilt (" + OwnerLock::holder_of(rebuilds) + ")",
                        "Wait until that is done");
  const auto request = request_erasure(views, erased);
  const auto is_clear = [&] {
    if (const auto owner = OwnerLock::try_take(views / "lock")) {
      // Read models come back from the ledger, which has nothing of the customer any more.
      remove_generations(views, [](const fs::path& path) { return !is_kept_generation(path); });
      return true;
    }
    // One that was exchanged lies there until its last reader has gone.
    const auto all = find_own_generations(views);
    return !all.empty() && std::all_of(all.begin(), all.end(),
                                       [&](const auto& one) { return is_erasure_done(one.path, request); });
  };
  const bool is_done = wait_until(patience, is_clear);
  if (const auto newer = find_newer_generation(views))
    throw ErasureHeldUp(
        newer->string() + " is of a newer release, and may name them",
        "Remove that directory, which is made again when it is needed; or, while a server of that release "
        "runs, use its own pixledger");
  if (!is_done)
    throw ErasureHeldUp(
        "the server (" + OwnerLock::holder_of(views / "lock") + ") has not removed it from its read models",
        "See what its log says, or stop it");
  // Those of an older release, which nobody opens any more.
  for (const auto& one : find_generations(views))
    if (one.set_version < kViewSetVersion) fs::remove_all(one.path);
  if (const auto kept = find_kept_generations(views); !kept.empty())
    throw ErasureHeldUp(
        kept.front().path.string() + " is kept because it disagreed with the ledger, and may name them",
        "Find out which of the two is right, and remove that directory");
}

}  // namespace pixledger::projections
