#include "tests/support/ledgers/worker_fixture.h"

#include <fcntl.h>
#include <stdexcept>
#include <thread>

#include "stores/deliveries/channels.h"
#include "tests/support/domain/sample_values.h"

namespace pixledger::tests {
namespace {

constexpr std::chrono::seconds kPatience{20};

eventstore::Keyring make_keyring(const std::filesystem::path& directory, Entropy& entropy, Timestamp now) {
  eventstore::Keyring::create(directory, entropy, now);
  return eventstore::Keyring::open(directory);
}

// Discards the workers' log.
int null_device() {
  static const int descriptor = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  return descriptor;
}

}  // namespace

std::vector<IpAddress> FakeResolver::resolve(const std::string& host) const {
  std::vector<IpAddress> addresses;
  const auto found = table_.find(host);
  if (found == table_.end()) return addresses;
  for (const auto& text : found->second) addresses.push_back(parsed<IpAddress>(text));
  return addresses;
}

bool eventually(const std::function<bool()>& condition) {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::yield();
  }
  return true;
}

LedgerInMemory::LedgerInMemory()
    : log({"0123456789abcdef0123456789abcdef", 1}),
      keyring(make_keyring(directory.path() / "keys", entropy, clock.now())),
      logger(LogFormat::kJson, clock, null_device()),
      executor(log, clock, entropy),
      project_(sample_project_id()) {
  const auto completed = execute(domain::CreateProject{sample_settings()});
  project_ = completed.events().front().project;
}

eventstore::Completed LedgerInMemory::execute(domain::Command command) {
  auto result = executor.execute({std::move(command), "key-test", {}, "req_test", {}});
  auto* completed = std::get_if<eventstore::Completed>(&result);
  if (completed == nullptr || !completed->outcome.done())
    throw std::runtime_error("the command was not done");
  return std::move(*completed);
}

std::string LedgerInMemory::add_channel(const domain::ChannelId& id, const std::string& url,
                                        domain::WebhookVersion version, domain::WebhookEventSet events) {
  const auto secret = stores::make_channel_secret(id, keyring, entropy);
  execute(domain::AddChannel{.id = id,
                             .project = project_,
                             .name = std::nullopt,
                             .url = url,
                             .events = events,
                             .version = version,
                             .secret = secret.sealed,
                             .secret_hint = secret.hint,
                             .number = stores::project_channels(log, project_).ever + 1});
  return secret.text;
}

domain::ChargeId LedgerInMemory::create_charge() {
  auto creation = sample_creation();
  creation.project = project_;
  const auto completed = execute(creation);
  return parsed<domain::ChargeId>(completed.events().back().stream.key());
}

void LedgerInMemory::pay(const domain::ChargeId& charge) {
  execute(domain::PaySandboxCharge{{project_, false}, charge});
}

void LedgerInMemory::change_settings(std::function<void(domain::StoreSettings&)> change) {
  auto settings = sample_settings();
  change(settings);
  execute(domain::ChangeStoreSettings{project_, change_to(settings)});
}

}  // namespace pixledger::tests
