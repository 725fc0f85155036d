#include <cstdlib>
#include <fstream>
#include <map>
#include <sys/stat.h>
#include <unistd.h>

#include "eventstore/keyring.h"
#include "eventstore/process/option_rules.h"
#include "tools/doctor/diagnosis.h"

namespace pixledger::tools {
namespace {

constexpr mode_t kModeBits = 07777;

// What services would find in the environment and the file, by the name of the option.
class Settings {
 public:
  explicit Settings(const std::filesystem::path& file) {
    std::ifstream in(file);
    if (file.empty() || !in) return;
    for (const auto& item : CLI::ConfigTOML().from_config(in)) {
      if (!item.inputs.empty()) in_file_[item.name] = item.inputs.front();
    }
  }

  std::string value(const std::string& option) const {
    std::string name = "PIXLEDGER_";
    for (const char c : option)
      name += c == '-' ? '_' : c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    const char* set = std::getenv(name.c_str());
    if (set && *set) return set;
    const auto found = in_file_.find(option);
    return found == in_file_.end() ? std::string() : found->second;
  }
  bool has(const std::string& option) const { return !value(option).empty(); }
  bool is_on(const std::string& option) const { return value(option) == "true" || value(option) == "1"; }

 private:
  std::map<std::string, std::string> in_file_;
};

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

void examine_keys(const eventstore::DataDirectory& data, Diagnoses& found) {
  struct stat root {};
  if (::stat(data.root.c_str(), &root) != 0) return;
  bool is_good = examine_mode(data.keys(), 0700, root.st_uid, found);
  for (const auto* name : {"master.key", "keyring"})
    is_good = is_good && examine_mode(data.keys() / name, 0600, root.st_uid, found);
  if (!is_good) return;
  try {
    eventstore::Keyring::open(data.keys());
    found.push_back({"keys", Severity::kOk, "open; nobody else may read them", ""});
  } catch (const std::exception& error) {
    found.push_back({"keys", Severity::kProblem, error.what(), "restore keys/ from its backup"});
  }
}

}  // namespace pixledger::tools
