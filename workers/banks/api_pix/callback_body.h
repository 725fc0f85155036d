#pragma once

#include <optional>
#include <string>
#include <vector>

#include "domain/pix/end_to_end_id.h"

namespace pixledger::workers {

// The payments that a bank's callback names, each once, in its order. Of all else that it says nothing is
// taken: it proves nothing. Empty where it names none, as when a bank tries whether somebody is there;
// nullopt: it is neither a JSON object nor
// a list. A pure function.
std::optional<std::vector<domain::EndToEndId>> read_callback(const std::string& body);

}  // namespace pixledger::workers
