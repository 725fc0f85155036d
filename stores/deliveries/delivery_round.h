#pragma once

#include <cstdint>

// The round of a delivery's attempts, as `round_start` has it: how many attempts had been made when it was
// last queued, which the schedule counts from, and above that how often a recovery and a redelivery have
// queued it, modulo. So each begins a round that an attempt under way does not belong to, also where no
// attempt of the last one has been made yet.
namespace pixledger::stores {

constexpr unsigned kRoundAttemptsBits = 16;
constexpr unsigned kRoundRecoveriesBits = 6;
constexpr unsigned kRoundRedeliveriesBits = 9;
constexpr unsigned kRedeliveriesAt = kRoundAttemptsBits + kRoundRecoveriesBits;

constexpr unsigned attempts_before_round(unsigned round) { return round & ((1U << kRoundAttemptsBits) - 1); }
constexpr unsigned redeliveries_in(unsigned round) { return round >> kRedeliveriesAt; }

}  // namespace pixledger::stores
