#pragma once

#include <memory>

#include "base/http/message/request.h"
#include "eventstore/proof/event_id.h"
#include "http/api/events/feed_look.h"
#include "http/routing/answer.h"

namespace pixledger::http {

// A page of the feed; one that is empty, and asked to wait, waits for what comes.
Answer answer_feed(const Services& services, const Request& request, const FeedAsked& asked,
                   const eventstore::EventIds& ids, std::chrono::seconds wait);

// The feed as server-sent events (WHATWG HTML §9.2) that go on for as long as the caller reads and its key
// holds: `id` is the cursor, `event` the name, `data` the item; a comment every 15 s.
Answer stream_feed(const Services& services, const Request& request, const FeedAsked& asked,
                   const eventstore::EventIds& ids);

}  // namespace pixledger::http
