#pragma once

#include <vector>

#include "base/crypto/age.h"
#include "base/targets/target.h"

namespace pixledger {

// The file of age that the recipients can open. The preconditions are those of AgeEncryption; so are the
// exceptions. Reads of it read `plain`, which must stay the same as long as it is used.
ObjectSource encrypted_source(ObjectSource plain, const std::vector<AgeRecipient>& recipients,
                              Entropy& entropy);

}  // namespace pixledger
