#include "base/targets/encrypted_source.h"

#include <memory>
#include <utility>

namespace pixledger {

ObjectSource encrypted_source(ObjectSource plain, const std::vector<AgeRecipient>& recipients,
                              Entropy& entropy) {
  const auto encryption = std::make_shared<const AgeEncryption>(recipients, entropy);
  const auto bytes = encryption->file_bytes(plain.bytes);
  return {bytes, [encryption, plain = std::move(plain)](std::uint64_t offset, std::size_t length) {
            return encryption->range(plain.bytes, offset, length, plain.read);
          }};
}

}  // namespace pixledger
