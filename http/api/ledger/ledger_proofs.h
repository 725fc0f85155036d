#pragma once

#include "base/http/message/reply.h"
#include "base/http/message/request.h"
#include "http/services/services.h"

// What relates the states of the ledger that its key has signed, for whoever holds receipts and not the
// ledger.
namespace pixledger::http {

// The signed tree head of everything that is committed.
Reply get_checkpoint(const Services& services, const Request& request);

// GET with `from` and `to`: the proof that the tree of the one size is a prefix of that of the other.
Reply get_consistency(const Services& services, const Request& request);

}  // namespace pixledger::http
