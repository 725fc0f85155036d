#pragma once

#include <string>

#include "base/http/message/reply.h"
#include "base/http/message/request.h"
#include "domain/values/cuid.h"
#include "http/services/services.h"

namespace pixledger::http {

// Where the drawing of a transaction's code is: "/api/v1/transactions/…/qr.svg".
std::string qr_path(const domain::ChargeId& id);

// GET …/qr.svg and …/qr.png: the code of a transaction that waits for its payment. Others have no code
// to be scanned: a static code could be paid a second time.
Reply get_qr_svg(const Services& services, const Request& request);
Reply get_qr_png(const Services& services, const Request& request);

}  // namespace pixledger::http
