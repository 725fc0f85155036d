#pragma once

#include "base/http/message/request.h"

namespace pixledger::http {

// Whether the request prefers lenient handling (`Prefer: handling=lenient`, RFC 7240 §4.4): what it says and
// nobody knows is ignored rather than refused. Of several such preferences the first counts.
bool prefers_lenient(const Headers& headers);

}  // namespace pixledger::http
