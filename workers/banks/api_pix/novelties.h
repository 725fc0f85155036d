#pragma once

#include <string>
#include <vector>

#include "workers/banks/api_pix/bank_operation.h"
#include "workers/banks/api_pix/bank_transport.h"

namespace pixledger::workers {

// What an answer has that release 2.9.0 of the document does not know: fields ("pix.limite"), values of codes
// ("devolucao.natureza MED_NOVA") and types of errors ("error CobNova"), each once, at most 16. Of values
// only those that look like codes are told; what else banks write may be a payer's. A pure function.
std::vector<std::string> novelties_in(BankOperation operation, const Answered& answer);

}  // namespace pixledger::workers
