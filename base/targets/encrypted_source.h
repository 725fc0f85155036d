#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/crypto/age.h"
#include "base/targets/target.h"

namespace pixledger {

// The file of age that the recipients can open. The preconditions are those of AgeEncryption; so are the
// exceptions. Reads of it read `plain`, which must stay the same as long as it is used.
ObjectSource encrypted_source(ObjectSource plain, const std::vector<AgeRecipient>& recipients,
                              Entropy& entropy);

// How objects are stored at a target: as they are, or as files of age. Thread-safe if the entropy is.
class ObjectEncryption {
 public:
  ObjectEncryption() = default;  // as they are
  // No recipients: as they are. At most AgeEncryption::kRecipientsMax. The entropy must outlive it.
  ObjectEncryption(std::vector<AgeRecipient> recipients, Entropy& entropy)
      : recipients_(std::move(recipients)), entropy_(&entropy) {}

  bool is_on() const { return !recipients_.empty(); }
  // What is stored of an object. Both throw AgeError for a key that is unsafe.
  std::string stored(std::string plain) const {
    return is_on() ? age_encrypt(plain, recipients_, *entropy_) : std::move(plain);
  }
  ObjectSource stored(ObjectSource plain) const {
    return is_on() ? encrypted_source(std::move(plain), recipients_, *entropy_) : std::move(plain);
  }

 private:
  std::vector<AgeRecipient> recipients_;
  Entropy* entropy_ = nullptr;
};

}  // namespace pixledger
