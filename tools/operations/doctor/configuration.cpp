#include <CLI/CLI.hpp>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include "domain/values/ip_address.h"
#include "eventstore/keys/keyring.h"
#include "eventstore/lmdb/database_facts.h"
#include "eventstore/net/host_port.h"
#include "eventstore/process/option_rules.h"
#include "tools/operations/doctor/diagnosis.h"

namespace pixledger::tools {
namespace {

constexpr mode_t kModeBits = 07777;

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> items;
  std::istringstream in(list);
  for (std::string item; std::getline(in, item, ',');) items.push_back(item);
  return items;
}

// What services would find in the environment and the file, by the name of the option.
class Settings {
 public:
  explicit Settings(const std::filesystem::path& file) {
    std::ifstream in(file);
    if (file.empty() || !in) return;
    for (const auto& item : CLI::ConfigTOML().from_config(in)) {
      if (!item.inputs.empty()) in_file_[item.name] = item.inputs;
    }
  }

  std::vector<std::string> values(const std::string& option) const {
    std::string name = "PIXLEDGER_";
    for (const char c : option)
      name += c == '-' ? '_' : c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    const char* set = std::getenv(name.c_str());
    if (set && *set) return split(set);
    const auto found = in_file_.find(option);
    return found == in_file_.end() ? std::vector<std::string>() : found->second;
  }
  std::string value(const std::string& option) const {
    const auto all = values(option);
    return all.empty() ? std::string() : all.front();
  }
  bool has(const std::string& option) const { return !value(option).empty(); }
  bool is_on(const std::string& option) const { return value(option) == "true" || value(option) == "1"; }

 private:
  std::map<std::string, std::vector<std::string>> in_file_;
};

// As the programs would say it, which do not start with such a value.
template <class Value>
void examine_values(const Settings& settings, const std::string& option, Diagnoses& found) {
  for (const auto& value : settings.values(option)) {
    if (!Value::parse(value))
      found.push_back({"configuration", Severity::kProblem,
                       option + " " + std::string(Value::kRule) + "; it is " + value,
                       "correct it: what needs it does not start"});
  }
}

std::string octal(mode_t mode) {
  std::string digits;
  for (; mode > 0; mode >>= 3) digits.insert(digits.begin(), static_cast<char>('0' + (mode & 7)));
  return "0" + digits;
}

bool examine_mode(const std::filesystem::path& path, mode_t expected, uid_t owner, Diagnoses& found) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) {
    found.push_back({"keys", Severity::kProblem, path.string() + " cannot be seen",
                     "restore keys/ from its backup, or run this as the directory's owner"});
    return false;
  }
  const auto mode = info.st_mode & kModeBits;
  if ((mode & ~expected) != 0)
    found.push_back({"keys", Severity::kProblem, path.string() + " has mode " + octal(mode),
                     "chmod " + octal(expected) + " " + path.string()});
  if (info.st_uid != owner)
    found.push_back({"keys", Severity::kProblem,
                     path.string() + " belongs to user " + std::to_string(info.st_uid) +
                         ", the data directory to " + std::to_string(owner),
                     "chown it to the data directory's owner"});
  return (mode & ~expected) == 0 && info.st_uid == owner;
}

// A ledger that cannot be read is told of elsewhere.
bool are_of_another_ledger(const eventstore::Keyring& keyring, const eventstore::CommonOptions& options) {
  try {
    const auto facts = eventstore::inspect_ledger(options.data.ledger(), options.map_bytes);
    return facts.keyring && *facts.keyring != keyring.code_of_ledger(facts.identity.ledger_id);
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace

void examine_configuration(const eventstore::CommonOptions& options, Diagnoses& found) {
  const auto before = found.size();
  const auto wrong = [&found](Severity severity, std::string what, std::string advice) {
    found.push_back({"configuration", severity, std::move(what), std::move(advice)});
  };
  for (const auto& key : options.unknown_keys)
    wrong(Severity::kWarning, "no program knows the key " + key, "correct it in " + options.config.string());
  const Settings settings(options.config);
  if (settings.has("tls-cert") != settings.has("tls-key"))
    wrong(Severity::kProblem, "one of tls-cert and tls-key stands alone", "give both, or neither");
  if (settings.has("smtp-user") != settings.has("smtp-password-file"))
    wrong(Severity::kProblem, "one of smtp-user and smtp-password-file stands alone",
          "give both, or neither");
  if (settings.has("smtp-user") && settings.value("smtp-tls") == "off")
    wrong(Severity::kProblem, "smtp-user with smtp-tls off: passwords go over verified TLS alone",
          "set smtp-tls to starttls or tls");
  if (!settings.has("smtp") && (settings.has("smtp-tls") || settings.has("smtp-from")))
    wrong(Severity::kWarning, "SMTP is configured without smtp: e-mails are written to outbox/",
          "set smtp to the mail server's HOST:PORT");
  for (const auto* option : {"tls-cert", "tls-key", "smtp-password-file", "ca-file"}) {
    if (settings.has(option) && ::access(settings.value(option).c_str(), R_OK) != 0)
      wrong(Severity::kProblem, std::string(option) + ": " + settings.value(option) + " cannot be read",
            "correct the path, or let the service's user read it");
    if (const auto problem = eventstore::must_not_be_a_directory(settings.value(option)); !problem.empty())
      wrong(Severity::kProblem, std::string(option) + ": " + problem, "correct the path");
  }
  for (const auto* option : {"listen", "metrics-listen", "smtp"})
    examine_values<eventstore::HostPort>(settings, option, found);
  for (const auto* option : {"trusted-proxy", "allow-target"})
    examine_values<domain::Cidr>(settings, option, found);
  if (settings.is_on("dev"))
    wrong(Severity::kWarning, "dev is on: webhooks may go to this machine and without TLS",
          "turn it off where there is live money");
  else if (settings.is_on("allow-http"))
    wrong(Severity::kWarning, "allow-http is on: webhooks may go without TLS",
          "turn it off where there is live money");
  if (found.size() == before)
    found.push_back(
        {"configuration", Severity::kOk, options.config.empty() ? "no file" : options.config.string(), ""});
}

void examine_keys(const eventstore::CommonOptions& options, Diagnoses& found) {
  const auto& data = options.data;
  struct stat root {};
  if (::stat(data.root.c_str(), &root) != 0) return;
  bool is_good = examine_mode(data.keys(), 0700, root.st_uid, found);
  for (const auto* name : {"master.key", "keyring"})
    is_good = is_good && examine_mode(data.keys() / name, 0600, root.st_uid, found);
  if (!is_good) return;
  try {
    const auto keyring = eventstore::Keyring::open(data.keys());
    if (are_of_another_ledger(keyring, options))
      found.push_back({"keys", Severity::kProblem, "they open, but are those of another ledger",
                       "restore keys/ from the backup of this ledger's keys: nothing starts with others"});
    else
      found.push_back({"keys", Severity::kOk, "open; nobody else may read them", ""});
  } catch (const std::exception& error) {
    found.push_back({"keys", Severity::kProblem, error.what(), "restore keys/ from its backup"});
  }
}

}  // namespace pixledger::tools
