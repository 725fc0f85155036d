#include "http/dispatch/worker_pool.h"

#include <catch2/catch.hpp>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "tests/support/servers/api_calls.h"

using namespace pixledger;
using http::PoolLimits;
using http::WorkerPool;

namespace {

// Work that runs until it is released, and a record of what ran, in order.
class Diary {
 public:
  WorkerPool::Work hold() {
    return [this] {
      std::unique_lock lock(mutex_);
      ++held_;
      changed_.notify_all();
      changed_.wait(lock, [this] { return may_go_; });
    };
  }
  WorkerPool::Work note(const std::string& name) {
    return [this, name] {
      const std::lock_guard lock(mutex_);
      order_ += name;
      changed_.notify_all();
    };
  }
  void await_held(int count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this, count] { return held_ == count; });
  }
  void let_go() {
    const std::lock_guard lock(mutex_);
    may_go_ = true;
    changed_.notify_all();
  }
  std::string await_order(std::size_t length) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this, length] { return order_.size() >= length; });
    return order_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int held_ = 0;
  bool may_go_ = false;
  std::string order_;
};

}  // namespace

TEST_CASE("projects take turns, however many requests each has waiting") {
  Diary diary;
  WorkerPool pool({.threads = 1, .in_work_of_project_max = 1, .waiting_of_project_max = 8});
  pool.enter("busy", diary.hold());
  diary.await_held(1);
  for (const char* name : {"a", "b", "c"}) pool.enter("busy", diary.note(name));
  pool.enter("other", diary.note("x"));
  CHECK(pool.waiting() == 4);
  diary.let_go();
  CHECK(diary.await_order(4) == "xabc");
}

TEST_CASE("no project has all the threads") {
  Diary diary;
  WorkerPool pool({.threads = 2, .in_work_of_project_max = 1, .waiting_of_project_max = 8});
  pool.enter("busy", diary.hold());
  pool.enter("busy", diary.hold());
  diary.await_held(1);
  pool.enter("other", diary.note("x"));
  CHECK(diary.await_order(1) == "x");
  CHECK(pool.waiting() == 1);
  diary.let_go();
  diary.await_held(2);
}

TEST_CASE("requests of one project beyond its queue are refused, and others have room") {
  Diary diary;
  WorkerPool pool({.threads = 1, .in_work_of_project_max = 1, .waiting_of_project_max = 1});
  pool.enter("busy", diary.hold());
  diary.await_held(1);
  CHECK(pool.enter("busy", diary.note("a")));
  CHECK_FALSE(pool.enter("busy", diary.note("b")));
  CHECK(pool.enter("other", diary.note("x")));
  diary.let_go();
  CHECK(diary.await_order(2).size() == 2);
}

TEST_CASE("work that is withdrawn before it begins does not run") {
  Diary diary;
  WorkerPool pool({.threads = 1, .in_work_of_project_max = 1, .waiting_of_project_max = 8});
  pool.enter("busy", diary.hold());
  diary.await_held(1);
  const auto place = pool.enter("busy", diary.note("a"));
  pool.enter("busy", diary.note("b"));
  CHECK(place->leave());
  CHECK_FALSE(place->leave());
  diary.let_go();
  CHECK(diary.await_order(1) == "b");
}

TEST_CASE("slow work waits in the pool's queue; creating, paying, checking and listing charges does not") {
  tests::TestServiceOptions options;
  options.front.pool.waiting_of_project_max = 0;
  tests::TestService service(options);
  const auto project = service.create_project();
  const auto id = tests::create_charge(service, project.test_key);
  CHECK(tests::status_of(service, project.test_key, id) == "waiting_payment");
  CHECK(service.send("POST", "/api/sandbox/transactions/" + id + "/pay", project.test_key).status == 200);
  CHECK(service.send("GET", "/api/transactions?status=paid", project.test_key).status == 200);
  for (const auto& path : std::vector<std::string>{
           "/api/transactions?search=maria", "/api/v1/customers?q=maria",
           "/api/v1/transactions/" + id + "/receipt", "/api/v1/notification-channels", "/api/v1/blocklist"}) {
    const auto answer = service.send("GET", path, project.test_key);
    INFO(path);
    CHECK(tests::outcome_of(answer) == "503 ERR_HTTP_503");
    CHECK(answer.headers.at("Retry-After") == "1");
  }
  // Work that resolves names has a queue of its own.
  const auto answer = service.send("POST", "/api/v1/notification-channels", project.test_key,
                                   R"({"url":"https://127.0.0.1/"})");
  CHECK(tests::outcome_of(answer) == "400 ERR_VALIDATION_001");
}
