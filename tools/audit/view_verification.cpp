#include "tools/audit/view_verification.h"

#include <memory>
#include <string>

#include "base/platform/damage.h"

namespace pixledger::tools {
namespace {

using projections::Generation;
using projections::GenerationComparison;
using projections::GenerationDifferences;
namespace fs = std::filesystem;

GenerationDifferences compare(const GenerationComparison& in_use, const eventstore::Log& log,
                              const ViewVerificationOptions& options) {
  const auto directory = options.scratch / "built";
  fs::create_directories(directory);
  auto writing = options.lmdb;
  writing.read_only = false;
  const auto built = Generation::open_unfinished(directory, log, writing);
  built->retire();
  return in_use.compare(
      built->database(),
      [&](Position end) { projections::catch_up(built->database(), log, options.building, end); },
      options.scratch, options.comparing);
}

}  // namespace

std::optional<Finding> ViewVerification::finding() const {
  if (differences.none()) return std::nullopt;
  return Finding{differences.as_of, differences.text(), Part::kReadModels};
}

std::optional<ViewVerification> verify_read_models(const eventstore::Log& log,
                                                   const ViewVerificationOptions& options) {
  auto generation = options.find_generation();
  std::unique_ptr<GenerationComparison> in_use;
  while (generation && !in_use) {
    try {
      in_use = std::make_unique<GenerationComparison>(*generation, options.lmdb, log);
    } catch (const ViewsDamaged& unreadable) {
      // A newer one may have taken its place meanwhile.
      auto found = options.find_generation();
      if (found == generation) {
        ViewVerification result{*generation, {}};
        result.differences.fault = std::string("they cannot be opened: ") + unreadable.what();
        return result;
      }
      generation = std::move(found);
    }
  }
  if (!generation) return std::nullopt;
  return ViewVerification{*generation, compare(*in_use, log, options)};
}

}  // namespace pixledger::tools
