#include "http/services/payer_pages.h"

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fcntl.h>
#include <functional>
#include <stdexcept>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

#include "base/platform/descriptor.h"
#include "base/platform/sha256.h"
#include "base/text/base64.h"
#include "eventstore/keys/ed25519.h"
#include "eventstore/keys/tokens.h"

namespace pixledger::http {
namespace {

eventstore::Ed25519Key return_key(const eventstore::Keyring& keyring, const domain::ProjectId& project) {
  eventstore::Key256 seed;
  seed.bytes = keyring.code_of_checkout("return", project.text());
  return eventstore::Ed25519Key(seed);
}

constexpr std::string_view kWebKeyPrefix = "wk_";
constexpr std::size_t kWebKeyRandomBytes = 32;
constexpr std::size_t kWebKeyTextBytes = 3 + 2 * kWebKeyRandomBytes;

[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& why) {
  throw std::runtime_error("the web key in " + file.string() + " " + why);
}
[[noreturn]] void refuse_for_errno(const std::filesystem::path& file, const std::string& what) {
  refuse(file, what + ": " + std::strerror(errno));
}

std::string made_in(const std::filesystem::path& file, const Descriptor& made, Entropy& entropy) {
  auto text = std::string(kWebKeyPrefix) + to_hex(entropy.bytes(kWebKeyRandomBytes));
  const auto line = text + "\n";
  const auto written = ::write(made.number(), line.data(), line.size());
  if (written != static_cast<ssize_t>(line.size()) || ::fsync(made.number()) != 0) {
    const int fault = errno;
    ::unlink(file.c_str());
    errno = fault;
    refuse_for_errno(file, "cannot be written");
  }
  return text;
}

std::string read_from(const std::filesystem::path& file) {
  const Descriptor kept(file, O_RDONLY);
  struct stat info {};
  if (!kept || ::fstat(kept.number(), &info) != 0) refuse_for_errno(file, "cannot be read");
  if ((info.st_mode & S_IRWXO) != 0) refuse(file, "lets everybody in: run chmod o= " + file.string());
  std::string text(kWebKeyTextBytes + 2, '\0');
  const auto size = ::read(kept.number(), text.data(), text.size());
  if (size < 0) refuse_for_errno(file, "cannot be read");
  text.resize(static_cast<std::size_t>(size));
  if (!text.empty() && text.back() == '\n') text.pop_back();
  if (text.size() != kWebKeyTextBytes || !text.starts_with(kWebKeyPrefix))
    refuse(file, "holds no key; remove the file to have another one made");
  return text;
}

}  // namespace

CheckoutLinks::CheckoutLinks(const eventstore::Keyring& keyring, std::string pay_url,
                             std::optional<WebKey> web_key)
    : keyring_(keyring), pay_url_(std::move(pay_url)), web_key_(web_key) {}

std::string CheckoutLinks::url_of(const domain::CheckoutSessionId& session) const {
  return eventstore::checkout_link(pay_url_, keyring_, session);
}

std::optional<domain::CheckoutSessionId> CheckoutLinks::session_of(std::string_view token) const {
  auto id = domain::CheckoutSessionId::parse(token.substr(0, token.find('.')));
  if (!id || !equal_in_constant_time(token, eventstore::checkout_token(keyring_, *id))) return std::nullopt;
  return id;
}

std::string CheckoutLinks::signed_return(const std::string& url, const domain::CheckoutSession& session,
                                         const domain::Charge& charge, Timestamp now) const {
  const auto text = "session=" + session.id.text() + "&transaction=" + charge.id.text() +
                    "&status=" + std::string(domain::to_string(charge.status)) +
                    "&t=" + std::to_string(now.millis() / 1000);
  const auto key = return_key(keyring_, session.project);
  const char joint = url.find('?') == std::string::npos ? '?' : '&';
  return url + joint + text + "&sig=" + to_base64url(key.sign(text));
}

std::string CheckoutLinks::return_public_key(const domain::ProjectId& project) const {
  const auto key = return_key(keyring_, project).public_key();
  return to_base64({reinterpret_cast<const char*>(key.data()), key.size()});
}

bool CheckoutLinks::is_web_key(std::string_view text) const {
  if (!web_key_) return false;
  const auto hash = sha256(text);
  return equal_in_constant_time(bytes_of(hash), bytes_of(web_key_->hash));
}

WebKey open_web_key(const std::filesystem::path& file, Entropy& entropy) {
  const Descriptor made(file, O_WRONLY | O_CREAT | O_EXCL);
  if (!made && errno != EEXIST) refuse_for_errno(file, "cannot be made");
  return {sha256(made ? made_in(file, made, entropy) : read_from(file))};
}

LogoDigest LogoDigests::of(const domain::ProjectId& project, const domain::StoreLogo& logo) {
  // A std::hash suffices: it only distinguishes one store's own logos.
  const auto text_hash = std::hash<std::string>()(logo.text());
  {
    const std::lock_guard lock(mutex_);
    const auto found = known_.find(project);
    if (found != known_.end() && found->second.text_hash == text_hash) return found->second.digest;
  }
  const auto image = logo.image();
  LogoDigest digest{to_hex(sha256(image)), image.size()};
  const std::lock_guard lock(mutex_);
  ++computed_;
  if (known_.size() >= kStoresMax) known_.clear();
  known_.insert_or_assign(project, Known{text_hash, digest});
  return digest;
}

std::size_t LogoDigests::computed() const {
  const std::lock_guard lock(mutex_);
  return computed_;
}

void PayerRefusals::note(const domain::CheckoutSessionId& session) {
  const std::lock_guard lock(mutex_);
  const auto [found, is_new] = refusals_.try_emplace(session.text(), 0);
  ++found->second;
  if (!is_new) return;
  in_order_.push_back(session.text());
  if (in_order_.size() <= kSessionsMax) return;
  refusals_.erase(in_order_.front());
  in_order_.pop_front();
}

bool PayerRefusals::too_many(const domain::CheckoutSessionId& session) const {
  const std::lock_guard lock(mutex_);
  const auto found = refusals_.find(session.text());
  return found != refusals_.end() && found->second >= kMax;
}

std::size_t PayerRefusals::sessions_known() const {
  const std::lock_guard lock(mutex_);
  return refusals_.size();
}

}  // namespace pixledger::http
