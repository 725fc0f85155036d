#pragma once

#include <string>

#include "domain/values/cents.h"

namespace pixledger::tools {

// Hundredths as Brazilians write them: "1.234.567,89".
std::string to_brazilian(domain::Cents hundredths);

// "R$ 1.234.567,89"
std::string to_reais(domain::Cents amount);

}  // namespace pixledger::tools
