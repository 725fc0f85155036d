#pragma once

#include <catch2/catch.hpp>

#include "base/platform/clock_and_entropy.h"
#include "eventstore/executor/executor.h"
#include "eventstore/postgres/shared_log.h"

namespace pixledger::tests {

using namespace eventstore;

// A program on a node that executes commands.
struct Program {
  explicit Program(SharedLog& its_log) : log(its_log) {}

  Result execute(const std::string& name, const std::string& key = {}) {
    Request request{domain::CreateProject{{*domain::Label::parse(name), std::nullopt,
                                           *domain::Label::parse("LOJA"), *domain::Label::parse("RECIFE")}},
                    "operator-test", std::nullopt, "req_1", std::nullopt};
    if (!key.empty()) request.idempotency = IdempotencyKey{sha256(key), sha256(name)};
    return executor.execute(std::move(request));
  }
  Completed done(const std::string& name, const std::string& key = {}) {
    auto result = execute(name, key);
    INFO(fault_of(result));
    return std::get<Completed>(std::move(result));
  }

  SharedLog& log;
  SystemClock clock;
  SystemEntropy entropy;
  Executor executor{log, clock, entropy};
};

}  // namespace pixledger::tests
