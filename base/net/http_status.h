#pragma once

namespace pixledger {

inline constexpr int kOk = 200;
inline constexpr int kNoContent = 204;
inline constexpr int kFirstRedirect = 300;
inline constexpr int kNotModified = 304;
inline constexpr int kBadRequest = 400;  // also the first client error
inline constexpr int kUnauthorized = 401;
inline constexpr int kForbidden = 403;
inline constexpr int kNotFound = 404;
inline constexpr int kMethodNotAllowed = 405;
inline constexpr int kConflict = 409;
inline constexpr int kTooLarge = 413;
inline constexpr int kTooManyRequests = 429;
inline constexpr int kFirstServerError = 500;
inline constexpr int kServiceUnavailable = 503;

}  // namespace pixledger
