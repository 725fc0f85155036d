#pragma once

#include "domain/aggregates/channel.h"
#include "domain/aggregates/project.h"
#include "domain/decisions/command.h"
#include "domain/decisions/decision.h"

// The decisions about notification channels. Pure; guards in documented order.
namespace pixledger::domain {

// `number_taken`: whether another channel of the project has the command's number.
Decision decide(const Project* project, bool number_taken, const AddChannel&, const Context&);
Decision decide(const Channel* channel, const UpdateChannel&, const Context&);
Decision decide(const Channel* channel, const DeleteChannel&, const Context&);
Decision decide(const Channel* channel, const RotateChannelSecret&, const Context&);
Decision decide(const Channel* channel, const DisableChannel&, const Context&);
Decision decide(const Channel* channel, const RequestChannelTest&, const Context&);
Decision decide(const Channel* channel, const RequestRedelivery&, const Context&);
Decision decide(const Channel* channel, const RequestRecovery&, const Context&);

// Why the caller may not see or touch the channel; nullopt when it may. Another project's is not there, nor
// is that of a checkout session; one that is told of live charges, or once was, is refused to a test key.
std::optional<Rejection> guard_channel(const Channel* channel, const Caller& caller);

// The same of a delivery to the channel, which may be a session's.
std::optional<Rejection> guard_delivery(const Channel* channel, const Caller& caller);

// Nothing when webhooks may go there.
std::optional<Rejection> refusal_of(TargetVerdict verdict);

}  // namespace pixledger::domain
