#pragma once

#include "domain/aggregates/charge.h"
#include "domain/aggregates/project.h"
#include "domain/decisions/command.h"
#include "domain/decisions/decide_charge.h"
#include "domain/decisions/decision.h"

// The decisions about money that fits no charge. Pointers may be null: nothing there.
namespace pixledger::domain {

// `holder` is the charge's stream that already has this end-to-end id, or nullptr.
Decision decide(const Project* project, const UnmatchedPayment* known, const StreamName* holder,
                const RecordUnmatchedPayment&, const Context&);
Decision decide(const UnmatchedPayment* payment, const Charge* charge, const Project* project,
                const StreamName* holder, const HasCounted& counted, const AssignPayment&, const Context&);
Decision decide(const UnmatchedPayment* payment, const StreamName* holder, const ClosePayment&,
                const Context&);
Decision decide(const UnmatchedPayment* payment, const SettlePaymentReturn&, const Context&);
Decision decide(const UnmatchedPayment* payment, const FailPaymentReturn&, const Context&);
// `counted`: what has the return's name.
Decision decide(const UnmatchedPayment* payment, const StreamName* holder, const StreamName* counted,
                const ReportUnmatchedReversal&, const Context&);

}  // namespace pixledger::domain
