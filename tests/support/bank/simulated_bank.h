#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/platform/clock_and_entropy.h"
#include "base/platform/json.h"
#include "base/values/timestamp.h"
#include "domain/values/cents.h"
#include "workers/banks/api_pix/bank_transport.h"

namespace pixledger::tests {

// Thrown by a call: the calling process has died.
struct Killed {};

// A bank's side of one account, in memory and in virtual time: charges, payments and devoluções, behind the
// API Pix (bacen/pix-api 2.9.0) and a faulty network. The seed determines a run.
class SimulatedBank {
 public:
  // Per thousand calls each, for reads and writes alike.
  struct Faults {
    unsigned lost_request = 0;  // never arrives
    unsigned lost_answer = 0;   // takes effect, but the answer is lost
    unsigned late_effect = 0;   // the answer is lost, and the call takes effect only half a minute later
    unsigned too_many = 0;      // 429
    unsigned broken = 0;        // 500, or a page of HTML
    unsigned unauthorized = 0;  // 401
    unsigned kills = 0;         // the caller dies, before or after the effect
  };

  struct Cob {
    domain::Cents amount;
    std::string status = "ATIVA";
    Timestamp created_at;
    std::int64_t expires_in_s = 0;
    std::string key;
  };
  struct Devolucao {
    std::string id;
    std::string rtr_id;
    domain::Cents amount;
    bool is_ours = true;      // requested over the API; otherwise by the bank itself
    bool is_by_hand = false;  // neither: made by the merchant in the bank's app
    std::string status = "EM_PROCESSAMENTO";
    Timestamp requested_at;
    std::int64_t settles_at_ms = 0;
    bool will_settle = true;
  };
  struct Payment {
    std::string end_to_end_id;
    domain::Cents amount;
    Timestamp at;  // by the bank's clock
    std::optional<std::string> txid;
    std::string key;                 // of the account, which the payer used
    std::int64_t shown_from_ms = 0;  // by our clock
    std::vector<Devolucao> devolucoes;
  };

  // The bank's clock is ahead of ours by `skew_ms`. `names_keys`: its answers state a payment's Pix key. The
  // clock must outlive it.
  SimulatedBank(const Clock& clock, std::uint64_t seed, std::int64_t skew_ms, bool names_keys);

  // --- actions of payers and of the bank ---
  // With a cob's txid, with another one, or without.
  const Payment& pay(std::optional<std::string> txid, const std::string& key, domain::Cents amount,
                     std::int64_t lag_ms);
  // The bank itself returns the rest of a payment, or a part of it.
  void reverse();
  // The merchant returns money in the bank's app. Returns false if less is left.
  bool send_back_by_hand(const std::string& end_to_end_id, domain::Cents amount);
  void set_faults(const Faults& faults) { faults_ = faults; }

  // --- the bank's state ---
  bool takes_payments_for(const std::string& txid) const;
  const std::map<std::string, Cob>& cobs() const { return cobs_; }  // by txid
  const std::map<std::string, Payment>& payments() const { return payments_; }
  // The paths of requests that were repeated although a read would have shown that the bank has them.
  const std::vector<std::string>& unasked_repeats() const { return unasked_repeats_; }

  workers::CallResult call(const workers::HttpCall& call);
  // Applies effects that are due by now; each call does so, too.
  void settle();

 private:
  struct Late {
    std::int64_t at_ms;
    workers::HttpCall call;
  };

  Timestamp now() const { return clock_.now().plus_millis(skew_ms_); }
  std::uint64_t draw(std::uint64_t below) { return random_() % below; }
  bool happens(unsigned in_a_thousand) { return draw(1'000) < in_a_thousand; }
  void note_repeat(const workers::HttpCall& call);
  std::string fresh_id(char first, std::size_t size);

  workers::Answered answer(const workers::HttpCall& call);
  workers::Answered answer_cob(const workers::HttpCall& call, const std::string& txid);
  workers::Answered answer_payment(const workers::HttpCall& call, std::string_view path);
  workers::Answered put_devolucao(Payment& payment, const std::string& id, const workers::HttpCall& call);
  workers::Answered list(const std::string& query) const;
  workers::Answered said(int status, std::string body) const;
  void write(Json& json, const Payment& payment) const;

  const Clock& clock_;
  const std::int64_t skew_ms_;
  const bool names_keys_;
  std::mt19937_64 random_;
  Faults faults_;
  std::map<std::string, Cob> cobs_;
  std::map<std::string, Payment> payments_;
  std::deque<Late> late_;
  std::set<std::string> ever_late_;  // URLs
  std::vector<std::string> unasked_repeats_;
};

// Connects to banks by host name.
class SimulatedBanks final : public workers::BankTransports {
 public:
  // Handles calls in place of the bank, unless empty.
  using Detour = std::function<workers::CallResult(SimulatedBank&, const workers::HttpCall&)>;

  void add(const std::string& host, SimulatedBank& bank) { banks_.emplace(host, &bank); }
  void set_detour(Detour detour) { detour_ = std::move(detour); }
  std::unique_ptr<workers::BankTransport> connect(const std::string& certificate_pem,
                                                  const std::string& private_key_pem) override;

 private:
  class Way;
  std::map<std::string, SimulatedBank*> banks_;
  Detour detour_;
};

}  // namespace pixledger::tests
