#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/platform/entropy.h"
#include "base/values/timestamp.h"
#include "domain/values/cuid.h"
#include "eventstore/keys/keyring.h"

// Devices on which people have signed in. A device keeps a text that only the keyring's holder can make, with
// one mark for each of the last few users. What a stranger fails from elsewhere is not counted against it
// (AttemptFrom). A mark lets nobody in: a thief of one may guess as often as the device itself.
namespace pixledger::http {

inline constexpr std::int64_t kKnownDeviceMs =
    400LL * 24 * 60 * 60 * 1'000;  // as long as browsers keep cookies
inline constexpr std::size_t kUsersOfDeviceMax = 4;

// The name of the device for this user; nullopt where it is not known, or was 400 days ago. `marks`: as the
// device sends them, which may be anything.
std::optional<std::string> known_device(std::string_view marks, const domain::UserId& user,
                                        const eventstore::Keyring& keyring, Timestamp now);

// What the device is to keep from now on: the marks that it has and one for the user, who has signed in on
// it.
std::string remember_device(std::string_view marks, const domain::UserId& user,
                            const eventstore::Keyring& keyring, Entropy& entropy, Timestamp now);

}  // namespace pixledger::http
