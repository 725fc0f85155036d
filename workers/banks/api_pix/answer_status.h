#pragma once

#include <optional>

#include "workers/banks/api_pix/bank_operation.h"
#include "workers/banks/api_pix/bank_profile.h"
#include "workers/banks/api_pix/bank_result.h"

namespace pixledger::workers {

// A status that says yes, and what came with it.
struct Accepted {
  std::string body;
};

// What an answer means by its status, since bodies of errors may be anything; a profile's marks tell apart
// where a bank's statuses do not. 2xx is yes for every operation, since banks mix them up. A status from 500
// on leaves open what became of a change and makes a reading unavailable; 429 means that nothing was looked
// at. For those that are unavailable `until` is left to the caller. 401 is Refused: whether to ask with
// another token is the caller's.
BankResult<Accepted> judge_answer(const BankProfile& profile, BankOperation operation, Answered answer);

// Whether the bank did not work, as the breaker counts.
bool is_fault(const CallResult& result);
// Whether it asked for less.
bool asks_for_less(const Answered& answer);

}  // namespace pixledger::workers
