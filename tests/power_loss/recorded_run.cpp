#include "tests/power_loss/recorded_run.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include "tests/crash/load.h"
#include "tests/crash/server_process.h"
#include "tests/support/paths.h"
#include "tests/support/servers/process.h"
#include "tests/support/servers/rude_receiver.h"

namespace pixledger::tests {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kPatience{60};

std::string text_of_field(const std::string& json, const std::string& name) {
  const auto start = json.find("\"" + name + "\":\"");
  if (start == std::string::npos) throw std::runtime_error("no " + name + " in " + json);
  const auto value = start + name.size() + 4;
  return json.substr(value, json.find('"', value) - value);
}

// Reads what must hold for ever, until told to stop.
class ProofReader {
 public:
  ProofReader(std::uint16_t port, const std::string& key)
      : thread_([this, port, key] {
          ApiClient client(port, key);
          while (!stopping_) {
            const auto list = client.get("/api/v1/transactions?limit=1");
            const auto id = list ? list->text("id") : std::string();
            if (!id.empty()) client.get("/api/v1/transactions/" + id + "/receipt");
            client.get("/api/v1/ledger/checkpoint");
          }
        }) {}
  ~ProofReader() {
    stopping_ = true;
    thread_.join();
  }
  ProofReader(const ProofReader&) = delete;
  ProofReader& operator=(const ProofReader&) = delete;

 private:
  std::atomic<bool> stopping_ = false;
  std::thread thread_;
};

class Run {
 public:
  Run(const fs::path& data, Recording& recording, const RunOptions& options)
      : data_(data), recording_(recording), options_(options), receiver_(1, options.seed) {}

  void run() {
    const auto created = command({"project", "create", "--name", "Power loss", "--json"});
    const LiveData live{data_, kMapSize, text_of_field(created, "projectId"),
                        text_of_field(created, "testKey")};
    recording_.mark("key " + live.test_key);
    recording_.mark("project " + live.project_id);
    // Before there is a channel or a charge they know that nothing was sent.
    const auto webhooks =
        worker("pixledger-webhooks", {"--allow-http", "--allow-target", "127.0.0.0/8", "--attempt-timeout",
                                      "0.5", "--retry-schedule", "0,20ms,50ms"});
    const auto emails = worker("pixledger-emails", {});
    const auto url = "http://127.0.0.1:" + std::to_string(receiver_.ports().front()) + "/";
    const auto added = command({"channel", "add", "--project", live.project_id, "--url", url, "--allow-http",
                                "--allow-target", "127.0.0.0/8", "--json"});
    recording_.mark("channel " + text_of_field(added, "channelId"));

    ServerStart start;
    start.program = options_.server;
    if (!options_.fault.empty()) start.arguments = {"--fault", options_.fault};
    start.environment = recording_.environment();
    ServerProcess server(live, start);
    server.wait_until_ready();
    const auto payer = load(server.port(), live.test_key);
    if (!receiver_.wait_for(options_.charges, kPatience)) throw std::runtime_error("webhooks are missing");
    wait_for_emails();
    // A server with a fault may hold the ledger for ever.
    if (options_.fault.empty()) erase(live.project_id, payer);
    stop(*webhooks);
    stop(*emails);
    if (server.stop() != 0) throw std::runtime_error("the server failed");
  }

 private:
  std::vector<std::string> arguments(std::vector<std::string> more) const {
    more.insert(more.end(), {"--data", data_.string(), "--map-size", kMapSize});
    return more;
  }

  std::string command(const std::vector<std::string>& given) const {
    const auto result =
        run_process(program_file("pixledger"), arguments(given), recording_.environment(), kPatience);
    if (result.code != 0) throw std::runtime_error(given.front() + " failed: " + result.err);
    return result.out;
  }

  void erase(const std::string& project, const std::string& document) const {
    const auto found = command({"customer", "find", "--project", project, "--document", document, "--json"});
    recording_.mark("erasing " + document);
    command({"customer", "erase", "--id", text_of_field(found, "customerId"), "--reason", "Asked for it"});
    recording_.mark("erased " + document);
  }

  std::unique_ptr<Process> worker(const char* program, std::vector<std::string> more) const {
    auto started = std::make_unique<Process>(program_file(program), arguments(std::move(more)),
                                             recording_.environment());
    if (!started->wait_for_err("at work", kPatience))
      throw std::runtime_error(std::string(program) + " does not work: " + started->err());
    return started;
  }

  static void stop(Process& process) {
    process.send(SIGTERM);
    if (process.wait(kPatience) != 0) throw std::runtime_error("a worker failed: " + process.err());
  }

  // Returns the document of a payer.
  std::string load(std::uint16_t port, const std::string& key) const {
    const ProofReader reader(port, key);
    LoadOptions load_options;
    load_options.name = "power";
    load_options.seed = options_.seed;
    load_options.connections = 4;
    Load load(port, key, load_options);
    const bool is_done = load.wait_for_acknowledged(options_.charges);
    const auto asked = load.finish();
    const auto paid =
        std::find_if(asked.begin(), asked.end(), [](const auto& charge) { return charge.pay_status == 200; });
    if (!is_done || paid == asked.end()) throw std::runtime_error("the load ended early");
    return paid->document;
  }

  // Half of the charges are paid, and payers with an e-mail address get one.
  void wait_for_emails() const {
    const auto wanted = static_cast<std::ptrdiff_t>(std::min<std::size_t>(options_.charges / 4, 50));
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    const auto is_email = [](const auto& entry) { return entry.path().extension() == ".eml"; };
    const fs::path outbox = data_ / "outbox";
    while (!fs::exists(outbox) || std::count_if(fs::directory_iterator(outbox), {}, is_email) < wanted) {
      if (std::chrono::steady_clock::now() > deadline) throw std::runtime_error("e-mails are missing");
      std::this_thread::yield();
    }
  }

  const fs::path data_;
  Recording& recording_;
  const RunOptions options_;
  RudeReceiver receiver_;
};

}  // namespace

void run_recorded(const fs::path& data, Recording& recording, const RunOptions& options) {
  Run(data, recording, options).run();
}

}  // namespace pixledger::tests
