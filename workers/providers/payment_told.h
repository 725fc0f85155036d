#pragma once

namespace pixledger::workers {

// What became of something that a bank shows and that was told to the ledger.
enum class Told {
  kYes,     // the ledger knows what there is to know
  kLater,   // it may not be recorded yet, or is refused: open work, to be told again
  kNotNow,  // the ledger takes no commands
};

// Of two things that were told about one payment: what is to be done about both.
constexpr Told worse(Told one, Told other) { return one < other ? other : one; }

}  // namespace pixledger::workers
