#include "eventstore/postgres/pg_client.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <poll.h>
#include <pqxx/errorhandler>
#include <pqxx/except>
#include <pwd.h>
#include <system_error>
#include <unistd.h>

namespace pixledger::eventstore {
namespace {

constexpr const char* kServer =
    "; SELECT concat_ws(' ', inet_server_addr(), inet_server_port(), pg_postmaster_start_time())";

std::string in_millis(std::chrono::milliseconds time) { return std::to_string(time.count()); }

// A database or role may have other defaults. A statement after one that has waited for its turn must see
// what was committed meanwhile.
std::string settings_of(const PgTimeouts& times) {
  return "SET synchronous_commit = on; SET default_transaction_isolation = 'read committed'; SET "
         "statement_timeout = 0; SET standard_conforming_strings = on; "
         "SET client_encoding = 'UTF8'; SET bytea_output = 'hex'; SET search_path = pixledger; "
         "SET tcp_user_timeout = " +
         in_millis(times.idle_turn) + "; SET lock_timeout = " + in_millis(times.lock) +
         "; SET idle_in_transaction_session_timeout = " + in_millis(times.idle_turn);
}

// Sets defaults; the URI's own values count. A node that stands still while it receives data during its turn
// is not idle: TCP ends that. A silent peer is given up at TCP's level as well.
std::string with_times(std::string text, const PgTimeouts& times) {
  const auto add = [&](const std::string& name, const std::string& value) {
    if (text.find(name + "=") != std::string::npos) return;
    text += (text.find('?') == std::string::npos ? "?" : "&") + name + "=" + value;
  };
  add("connect_timeout", std::to_string(times.connect.count()));
  add("tcp_user_timeout", in_millis(times.commit));
  add("application_name", "pixledger");
  return text;
}

// Thread-safe.
std::string own_name() {
  std::array<char, 1024> text{};
  passwd entry{};
  passwd* found = nullptr;
  if (::getpwuid_r(::geteuid(), &entry, text.data(), text.size(), &found) != 0 || !found) return "this user";
  return "the user " + std::string(found->pw_name);
}

// libpq would continue without it, and report that no password was supplied.
void refuse_unreadable_passfile(const LedgerUri& uri) {
  if (uri.passfile.empty() || ::faccessat(AT_FDCWD, uri.passfile.c_str(), R_OK, AT_EACCESS) == 0) return;
  const std::string reason = std::generic_category().message(errno);
  throw LogUnavailable("the passfile " + uri.passfile + " of the role " + uri.user + " cannot be read by " +
                       own_name() + ", who opens the ledger: " + reason);
}

std::unique_ptr<pqxx::connection> connect(const LedgerUri& uri, const PgTimeouts& times) {
  refuse_unreadable_passfile(uri);
  std::string problems;
  for (const auto& text : uri.of_each_host()) {
    try {
      return std::make_unique<pqxx::connection>(with_times(text, times));
    } catch (const std::exception& error) {
      problems += std::string(error.what()) + "\n";
    }
  }
  throw LogUnavailable("PostgreSQL cannot be reached: " + problem_of_hosts(problems));
}

// Classes 23 (integrity) and 40 (rollback) of appendix A: nothing was committed. An error that ends a client
// leaves the outcome open, as the client may have waited for its standby; so does 40003, by definition.
bool aborts(const std::string& sqlstate) {
  const auto sqlclass = sqlstate.substr(0, 2);
  return sqlclass == "23" || (sqlclass == "40" && sqlstate != "40003");
}

// Explains what an operator can act on (appendix A); other errors are clear by themselves.
std::string explain(const std::string& sqlstate, const std::string& problem) {
  if (sqlstate == "55P03")
    return "another session has not let go of a lock in time: a node that has stopped in its turn, or a "
           "commit whose standby does not answer";
  if (sqlstate == "25P03") return "this node's turn took too long, and PostgreSQL has ended it";
  if (sqlstate == "25006") return "PostgreSQL has become a standby";
  return line_of_problem(problem);
}

std::string problem_of(const std::exception& error) {
  const auto* const sql = dynamic_cast<const pqxx::sql_error*>(&error);
  return "PostgreSQL: " + (sql ? explain(sql->sqlstate(), error.what()) : line_of_problem(error.what()));
}

}  // namespace

// PostgreSQL's messages beside its results.
class PgClient::Notices final : public pqxx::errorhandler {
 public:
  explicit Notices(pqxx::connection& connection) : pqxx::errorhandler(connection) {}

  bool operator()(const char message[]) noexcept override {
    ++count_;
    try {
      last_ = line_of_problem(message);
    } catch (const std::bad_alloc&) {
      // The count suffices.
    }
    return false;
  }
  std::size_t count() const { return count_; }
  const std::string& last() const { return last_; }

 private:
  std::size_t count_ = 0;
  std::string last_;
};

PgClient::PgClient(const LedgerUri& uri, const PgTimeouts& times, DeadlineWatch& watch)
    : times_(times), watch_(watch), connection_(connect(uri, times)) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  // It would silently reconnect, perhaps to another server, for which what was confirmed here does not hold.
  connection_->inhibit_reactivation(true);
#pragma GCC diagnostic pop
  notices_ = std::make_unique<Notices>(*connection_);
  server_ = run(settings_of(times) + kServer).at(0).at(0).as<std::string>();
}

PgClient::~PgClient() = default;

bool PgClient::has_broken_off() const {
  pollfd socket{.fd = connection_->sock(), .events = POLLIN, .revents = 0};
  return socket.fd < 0 || ::poll(&socket, 1, 0) != 0;
}

void PgClient::prepare_once(const PreparedStatement& statement) {
  if (std::find(prepared_.begin(), prepared_.end(), statement.name) != prepared_.end()) return;
  connection_->prepare(statement.name, statement.text);
  prepared_.push_back(statement.name);
}

pqxx::result PgClient::watched(const Statement& statement) {
  if (!is_usable_) throw LogUnavailable("the session with PostgreSQL has ended");
  DeadlineWatch::Watched watch(watch_, std::chrono::steady_clock::now() + times_.answer);
  try {
    watch.use_socket(connection_->sock());
    pqxx::nontransaction now(*connection_);
    return statement(now);
  } catch (const std::exception& error) {
    give_up(watch.expired(), problem_of(error));
  }
}

void PgClient::give_up(bool was_late, const std::string& problem) {
  is_usable_ = false;
  throw LogUnavailable(was_late ? "PostgreSQL does not answer" : problem);
}

void PgClient::commit() {
  if (!is_usable_) throw LogUnavailable("the session with PostgreSQL has ended");
  DeadlineWatch::Watched watch(watch_, std::chrono::steady_clock::now() + times_.commit);
  const auto before = notices_->count();
  try {
    watch.use_socket(connection_->sock());
    pqxx::nontransaction now(*connection_);
    now.exec("COMMIT");
  } catch (const pqxx::sql_error& error) {
    is_usable_ = false;
    const auto problem = problem_of(error);
    if (aborts(error.sqlstate())) throw LogUnavailable(problem);
    throw LogOutcomeUnknown(problem);
  } catch (const std::exception& error) {
    is_usable_ = false;
    throw LogOutcomeUnknown(watch.expired()
                                ? "PostgreSQL did not answer to the commit in time"
                                : "the session broke off at the commit: " + line_of_problem(error.what()));
  }
  if (notices_->count() == before) return;
  is_usable_ = false;
  throw LogOutcomeUnknown("PostgreSQL has a warning about the commit: " + notices_->last());
}

void PgClient::roll_back() noexcept {
  if (!is_usable_) return;
  try {
    run("ROLLBACK");
  } catch (const std::exception&) {
    // The client is unusable from now on, and PostgreSQL rolls its transaction back.
  }
}

namespace {

constexpr std::size_t kProblemMax = 300;
// The limit for a URI with many hosts.
constexpr std::size_t kHostsMax = 1'000;

// libpq begins its message about a host with one of these (fe-connect.c, emitHostIdentityInfo).
constexpr std::string_view kAtServer = "connection to server at ";
constexpr std::string_view kOnSocket = "connection to server on socket ";
constexpr std::string_view kFailed = " failed: ";

std::string printable(std::string_view text) {
  std::string line;
  for (const char c : text) line += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  return line;
}

std::string_view take_line(std::string_view& text) {
  const auto end = std::min(text.find('\n'), text.size());
  const auto line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

// `"db1" (10.0.0.1), port 5432` → `db1 (10.0.0.1), port 5432`
std::string host_of(std::string_view named) {
  auto host = printable(named);
  host.erase(std::remove(host.begin(), host.end(), '"'), host.end());
  return host;
}

// Returns "HOST: REASON"; empty for a line that only explains the reason before it.
std::string reason_of_host(std::string_view line) {
  for (const auto beginning : {kAtServer, kOnSocket}) {
    if (!line.starts_with(beginning)) continue;
    line.remove_prefix(beginning.size());
    const auto failed = line.find(kFailed);
    if (failed == std::string_view::npos) return {};
    return host_of(line.substr(0, failed)) + ": " + printable(line.substr(failed + kFailed.size()));
  }
  return {};
}

}  // namespace

std::string line_of_problem(std::string_view text) {
  return printable(take_line(text).substr(0, kProblemMax));
}

std::string problem_of_hosts(std::string_view text) {
  std::string hosts;
  for (auto rest = text; !rest.empty();) {
    const auto reason = reason_of_host(take_line(rest)).substr(0, kProblemMax);
    if (reason.empty()) continue;
    if (hosts.size() + reason.size() > kHostsMax) break;
    hosts += (hosts.empty() ? "" : "; ") + reason;
  }
  return hosts.empty() ? line_of_problem(text) : hosts;
}

namespace {

constexpr std::string_view kHexDigits = "0123456789abcdef";

void add_hex(std::string& text, std::string_view bytes) {
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += kHexDigits[byte >> 4];
    text += kHexDigits[byte & 0xf];
  }
}

}  // namespace

pqxx::binarystring binary(std::string_view bytes) { return {bytes.data(), bytes.size()}; }

std::string bytes_in(const pqxx::field& field) { return pqxx::binarystring(field).str(); }

Digest digest_of(const pqxx::field& field) {
  const auto bytes = bytes_in(field);
  if (bytes.size() != sizeof(Digest)) throw SharedLedgerDamaged("a digest is not 32 bytes long");
  return digest_from_bytes(bytes);
}

std::string literal(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("''") : std::string(1, c);
  return quoted + "'";
}

std::string bytea_array(const std::vector<std::string_view>& elements) {
  std::size_t size = 2;
  for (const auto& element : elements) size += 2 * element.size() + 8;
  std::string text;
  text.reserve(size);
  text += '{';
  for (const auto& element : elements) {
    text += text.size() == 1 ? "\"\\\\x" : ",\"\\\\x";
    add_hex(text, element);
    text += '"';
  }
  return text + '}';
}

std::string bigint_array(const std::vector<std::uint64_t>& elements) {
  std::string text = "{";
  for (const auto element : elements) text += (text.size() == 1 ? "" : ",") + std::to_string(element);
  return text + '}';
}

}  // namespace pixledger::eventstore
