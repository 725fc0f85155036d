#pragma once

#include <optional>
#include <string>

#include "base/values/internet_address.h"
#include "eventstore/log/log.h"
#include "eventstore/reading/state_history.h"
#include "stores/emails/email_repository.h"

namespace pixledger::workers {

// An e-mail for the mail server.
struct OutgoingEmail {
  std::string name;  // stable per event; safe as a file name
  std::string to;    // an address
  std::string bytes;
  std::optional<domain::ProjectId> sandbox_of = {};  // the project, if it is a sandbox e-mail
  unsigned attempts_before = 0;
};

// The confirmation of an event; nullopt if the event needs none.
std::optional<stores::NewEmail> email_of(const domain::RecordedEvent& event, const eventstore::Log& log);

// Builds an e-mail's bytes from its record and the streams as of the event. Thread-safe.
class EmailComposer {
 public:
  EmailComposer(const eventstore::Log& log, EmailAddress from)
      : log_(log), from_(std::move(from)), history_(log) {}

  // Nullopt if the customer's personal data has been erased. Throws LogCorrupt if a stream is missing.
  std::optional<OutgoingEmail> compose(const stores::Email& email) const;

  const EmailAddress& from() const { return from_; }

 private:
  const eventstore::Log& log_;
  const EmailAddress from_;
  mutable eventstore::StateHistory history_;  // of customers and projects, which many e-mails share
};

}  // namespace pixledger::workers
