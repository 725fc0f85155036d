#pragma once

#include <string>

#include "domain/values/cents.h"

namespace pixledger::domain {

// Hundredths as Brazilians write them: "1.234.567,89".
std::string to_brazilian(Cents hundredths);

// "R$ 1.234.567,89"
std::string to_reais(Cents amount);

}  // namespace pixledger::domain
