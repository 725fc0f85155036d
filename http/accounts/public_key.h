#pragma once

#include <cstdint>
#include <string_view>

namespace pixledger::http {

// Whether the signature is by this key, as is_public_key() takes it, in the form that Web Authentication has
// for the algorithm (Level 2, §6.5.6): ECDSA's is DER, all of them are over SHA-256 but Ed25519's.
bool is_signed_by(std::string_view public_key, std::int64_t algorithm, std::string_view bytes,
                  std::string_view signature);

}  // namespace pixledger::http
