// An open loop: requests are due at a constant rate, whatever became of those before them, and their latency
// counts from the moment they were due. A closed loop such as wrk's leaves out those that it could not send
// while it waited.
//
//     bench_open_loop --port N --key KEY --rate A_SECOND [--ids FILE] [--mix KINDS] [--connections 64]
//     [--seconds 10] [--warmup 1]
//
// Sends creates, or with --ids status checks of the charges in that file, to 127.0.0.1 over connections that
// are kept. A request for which no connection is free waits for one. Prints JSON: requests `due` and
// `answered` after the warm-up, `failed` (another status than 2xx, an ended connection, or no answer 10 s
// after the last was due), `reached`, the good answers a second before the end, and percentiles in
// milliseconds. Ends with 1 when any failed.
//
// --mix create,pay,status sends these kinds in turns, each at the rate, and prints JSON for each. A payment
// pays the oldest charge that this run has created and not paid. Payments begin a second after the creates.

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "bench/open_loop/latency_histogram.h"
#include "bench/open_loop/requests.h"

namespace {

using namespace pixledger;
using namespace pixledger::bench;
using Clock = std::chrono::steady_clock;
using std::chrono::microseconds;

constexpr auto kPatience = std::chrono::seconds(10);
constexpr std::size_t kReadBytes = 65'536;

// How long after the first create the first payment is due, so that it does not wait for a create's answer.
constexpr auto kPayAfter = std::chrono::seconds(1);
constexpr std::array<const char*, 3> kNames = {"create", "pay", "status"};

struct Flags {
  std::uint16_t port = 0;
  std::string key, ids;
  std::vector<Kind> mix;
  double rate = 0;
  std::size_t connections = 64;
  double seconds = 10, warmup = 1;
};

double number_in(const std::string& name, const std::string& text, double least, double most) {
  const double number = std::stod(text);
  if (number < least || number > most) throw std::invalid_argument(name + " is out of range");
  return number;
}

std::vector<Kind> kinds_in(const std::string& list) {
  std::vector<Kind> kinds;
  std::stringstream names(list);
  for (std::string name; std::getline(names, name, ',');) {
    const auto* const found = std::find(kNames.begin(), kNames.end(), name);
    if (found == kNames.end()) throw std::invalid_argument("unknown kind " + name);
    kinds.push_back(static_cast<Kind>(found - kNames.begin()));
  }
  return kinds;
}

Flags parse_flags(int argc, char** argv) {
  Flags flags;
  for (int i = 1; i < argc; i += 2) {
    const std::string name = argv[i];
    if (i + 1 == argc) throw std::invalid_argument(name + " lacks its value");
    const std::string value = argv[i + 1];
    if (name == "--port") {
      flags.port = static_cast<std::uint16_t>(number_in(name, value, 1, 65'535));
    } else if (name == "--key") {
      flags.key = value;
    } else if (name == "--ids") {
      flags.ids = value;
    } else if (name == "--mix") {
      flags.mix = kinds_in(value);
    } else if (name == "--rate") {
      flags.rate = number_in(name, value, 1, 1e6);
    } else if (name == "--connections") {
      flags.connections = static_cast<std::size_t>(number_in(name, value, 1, 20'000));
    } else if (name == "--seconds") {
      flags.seconds = number_in(name, value, 0.1, 3'600);
    } else if (name == "--warmup") {
      flags.warmup = number_in(name, value, 0, 600);
    } else {
      throw std::invalid_argument("unknown flag " + name);
    }
  }
  if (flags.port == 0 || flags.rate == 0) throw std::invalid_argument("--port and --rate, please");
  if (flags.mix.empty()) flags.mix = {flags.ids.empty() ? Kind::kCreate : Kind::kStatus};
  const auto has = [&flags](Kind kind) {
    return std::find(flags.mix.begin(), flags.mix.end(), kind) != flags.mix.end();
  };
  if (has(Kind::kStatus) && flags.ids.empty()) throw std::invalid_argument("status checks need --ids");
  if (has(Kind::kPay) && !has(Kind::kCreate)) throw std::invalid_argument("payments need creates");
  return flags;
}

std::vector<std::string> lines_of(const std::string& file) {
  if (file.empty()) return {};
  std::ifstream in(file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  if (lines.empty()) throw std::invalid_argument(file + " has no ids");
  return lines;
}

// The length of the whole answer at the beginning of a text, and whether it is a 2xx; none while its head or
// its length is not there yet.
struct Answer {
  std::size_t bytes;
  bool is_good;
};
std::optional<Answer> answer_in(std::string_view text) {
  const auto end = text.find("\r\n\r\n");
  if (end == std::string_view::npos) return std::nullopt;
  const auto head = text.substr(0, end);
  std::size_t length = 0;
  for (const auto name : {"\r\nContent-Length: ", "\r\ncontent-length: "}) {
    const auto at = head.find(name);
    if (at != std::string_view::npos)
      length = std::strtoull(head.data() + at + std::strlen(name), nullptr, 10);
  }
  const auto whole = end + 4 + length;
  if (text.size() < whole) return std::nullopt;
  return Answer{whole, head.size() > 9 && head[9] == '2'};
}

// The id of the charge in the answer to its creation.
std::string id_in(std::string_view answer) {
  constexpr std::string_view kBefore = R"("id":")";
  const auto at = answer.find(kBefore);
  if (at == std::string_view::npos) return "";
  const auto from = at + kBefore.size();
  return std::string(answer.substr(from, answer.find('"', from) - from));
}

struct Due {
  Clock::time_point at;
  Kind kind;
};

// The results of one kind of requests.
struct Tally {
  LatencyHistogram latencies;
  std::uint64_t due = 0, ended = 0, failed = 0, in_time = 0;
};

// One connection and the request that is on it, if any. Moves nowhere: epoll knows where it is.
struct Connection {
  int socket = -1;
  std::optional<Due> due;
  std::string to_send;  // of it, what the system has not taken yet
  std::string received;
};

class OpenLoop {
 public:
  explicit OpenLoop(const Flags& flags)
      : flags_(flags),
        requests_("127.0.0.1:" + std::to_string(flags.port), flags.key, lines_of(flags.ids)),
        epoll_(::epoll_create1(EPOLL_CLOEXEC)),
        connections_(flags.connections),
        pays_(std::find(flags.mix.begin(), flags.mix.end(), Kind::kPay) != flags.mix.end()) {
    for (auto& connection : connections_) {
      connect(connection);
      free_.push_back(&connection);
    }
  }
  ~OpenLoop() {
    for (auto& connection : connections_) ::close(connection.socket);
    ::close(epoll_);
  }
  OpenLoop(const OpenLoop&) = delete;
  OpenLoop& operator=(const OpenLoop&) = delete;

  void run() {
    begin_ = Clock::now();
    measured_from_ = begin_ + duration_of(flags_.warmup);
    measured_until_ = measured_from_ + duration_of(flags_.seconds);
    const auto kinds = flags_.mix.size();
    const auto count = static_cast<std::uint64_t>(flags_.rate * (flags_.warmup + flags_.seconds)) * kinds;
    const auto end = due_of(count) + kPatience;
    while (next_ < count || ended_ < due_) {
      const auto now = Clock::now();
      for (; next_ < count && due_of(next_) <= now; ++next_) add({due_of(next_), flags_.mix[next_ % kinds]});
      while (!free_.empty() && send_next()) {
      }
      if (now > end) break;
      wait_until(next_ < count ? due_of(next_) : end);
    }
  }

  // Whether all went well.
  bool report() const {
    const bool is_mix = flags_.mix.size() > 1;
    bool is_good = true;
    const char* before = "{";
    for (const auto kind : flags_.mix) {
      if (is_mix) std::printf("%s\"%s\":", before, kNames[index_of(kind)]);
      is_good = report(tallies_[index_of(kind)]) && is_good;
      before = ",";
    }
    std::printf(is_mix ? "}\n" : "\n");
    return is_good;
  }

 private:
  static unsigned long long as_printed(std::uint64_t number) { return number; }
  static std::size_t index_of(Kind kind) { return static_cast<std::size_t>(kind); }
  static Clock::duration duration_of(double seconds) {
    return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  }

  bool report(const Tally& tally) const {
    const auto& latencies = tally.latencies;
    const auto at = [&latencies](double share) {
      return static_cast<double>(latencies.percentile(share)) / 1e3;
    };
    const auto failed = tally.failed + tally.due - tally.ended;
    std::printf(R"({"rate":%.1f,"due":%llu,"answered":%llu,"failed":%llu,"reached":%.1f,"p50":%.3f,)"
                R"("p99":%.3f,"p999":%.3f,"max":%.3f})",
                flags_.rate, as_printed(latencies.total() + failed), as_printed(latencies.total()),
                as_printed(failed), static_cast<double>(tally.in_time) / flags_.seconds, at(0.5), at(0.99),
                at(0.999), static_cast<double>(latencies.max()) / 1e3);
    return failed == 0;
  }

  Clock::time_point due_of(std::uint64_t number) const {
    return begin_ +
           duration_of(static_cast<double>(number) / (flags_.rate * static_cast<double>(flags_.mix.size())));
  }

  void add(const Due& due) {
    if (due.kind == Kind::kPay && due.at < begin_ + kPayAfter) return;
    waiting_.push_back(due);
    ++tallies_[index_of(due.kind)].due;
    ++due_;
  }

  void connect(Connection& connection) {
    connection.socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(flags_.port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connection.socket < 0 ||
        ::connect(connection.socket, reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0)
      throw std::runtime_error(std::string("cannot connect: ") + std::strerror(errno));
    const int on = 1;
    ::setsockopt(connection.socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    epoll_event event{.events = EPOLLIN, .data = {.ptr = &connection}};
    ::epoll_ctl(epoll_, EPOLL_CTL_ADD, connection.socket, &event);
  }

  // Whether there was one to send: a payment waits until a create was answered.
  bool send_next() {
    const auto next = std::find_if(waiting_.begin(), waiting_.end(), [this](const Due& due) {
      return due.kind != Kind::kPay || !unpaid_.empty();
    });
    if (next == waiting_.end()) return false;
    auto& connection = *free_.front();
    free_.pop_front();
    connection.due = *next;
    waiting_.erase(next);
    connection.to_send = request_of(connection.due->kind);
    send(connection);
    return true;
  }

  std::string request_of(Kind kind) {
    const auto number = sent_++;
    if (kind == Kind::kCreate) return requests_.create(number);
    if (kind == Kind::kStatus) return requests_.status(number);
    const auto id = std::move(unpaid_.front());
    unpaid_.pop_front();
    return requests_.pay(id);
  }

  void send(Connection& connection) {
    const auto sent = ::send(connection.socket, connection.to_send.data(), connection.to_send.size(),
                             MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent < 0 && errno != EAGAIN) return;  // epoll tells of its end
    connection.to_send.erase(0, sent < 0 ? 0 : static_cast<std::size_t>(sent));
    const std::uint32_t more = connection.to_send.empty() ? 0U : std::uint32_t{EPOLLOUT};
    if (more == 0 && sent >= 0) return;
    epoll_event event{.events = EPOLLIN | more, .data = {.ptr = &connection}};
    ::epoll_ctl(epoll_, EPOLL_CTL_MOD, connection.socket, &event);
  }

  void wait_until(Clock::time_point until) {
    const auto left =
        std::chrono::nanoseconds(std::max(Clock::duration::zero(), until - Clock::now())).count();
    const timespec timeout{.tv_sec = left / 1'000'000'000, .tv_nsec = left % 1'000'000'000};
    std::array<epoll_event, 256> events;
    const int count =
        ::epoll_pwait2(epoll_, events.data(), static_cast<int>(events.size()), &timeout, nullptr);
    for (int i = 0; i < count; ++i) {
      const auto& event = events[static_cast<std::size_t>(i)];
      auto& connection = *static_cast<Connection*>(event.data.ptr);
      if (event.events & EPOLLOUT) {
        // Asked for only while something is left to send; it is asked for anew then.
        epoll_event quiet{.events = EPOLLIN, .data = {.ptr = &connection}};
        ::epoll_ctl(epoll_, EPOLL_CTL_MOD, connection.socket, &quiet);
        send(connection);
      }
      if (event.events & ~std::uint32_t{EPOLLOUT}) receive(connection);
    }
  }

  void receive(Connection& connection) {
    const auto received = ::recv(connection.socket, buffer_.data(), buffer_.size(), MSG_DONTWAIT);
    if (received < 0 && errno == EAGAIN) return;
    if (received <= 0) return begin_anew(connection);
    connection.received.append(buffer_.data(), static_cast<std::size_t>(received));
    const auto answer = answer_in(connection.received);
    if (!answer) return;
    finish(connection, answer->is_good);
    connection.received.erase(0, answer->bytes);
    free_.push_back(&connection);
  }

  // The server has ended the connection, with a request on it or without one.
  void begin_anew(Connection& connection) {
    ::close(connection.socket);
    connection.received.clear();
    connection.to_send.clear();
    const bool was_asked = connection.due.has_value();
    if (was_asked) finish(connection, false);
    connect(connection);
    if (was_asked) free_.push_back(&connection);
  }

  void finish(Connection& connection, bool is_good) {
    const auto [due, kind] = *connection.due;
    const auto now = Clock::now();
    auto& tally = tallies_[index_of(kind)];
    connection.due.reset();
    ++ended_;
    ++tally.ended;
    // After a failed create this has no id, so that its payment fails, too.
    if (kind == Kind::kCreate && pays_) unpaid_.push_back(is_good ? id_in(connection.received) : "");
    if (!is_good) {
      ++tally.failed;
      return;
    }
    tally.in_time += now >= measured_from_ && now < measured_until_;
    if (due >= measured_from_)
      tally.latencies.add(
          static_cast<std::uint64_t>(std::chrono::duration_cast<microseconds>(now - due).count()));
  }

  const Flags& flags_;
  Requests requests_;
  int epoll_;
  std::vector<Connection> connections_;
  // Taken in turns: a connection that is never used is ended by the server, at worst as it is used first.
  std::deque<Connection*> free_;
  std::deque<Due> waiting_;         // no connection was free, or no charge to pay
  std::deque<std::string> unpaid_;  // ids of charges, as their creates were answered
  bool pays_;
  Clock::time_point begin_, measured_from_, measured_until_;
  std::uint64_t next_ = 0, due_ = 0, sent_ = 0, ended_ = 0;
  std::array<Tally, kNames.size()> tallies_;
  std::array<char, kReadBytes> buffer_;
};

void raise_descriptor_limit() {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const auto flags = parse_flags(argc, argv);
    raise_descriptor_limit();
    ::prctl(PR_SET_TIMERSLACK, 1UL);  // waits end when they should, not 50 us later
    OpenLoop loop(flags);
    loop.run();
    return loop.report() ? EXIT_SUCCESS : EXIT_FAILURE;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_open_loop: %s\n", error.what());
    return 2;
  }
}
