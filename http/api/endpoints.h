#pragma once

#include <string_view>
#include <vector>

#include "base/http/message/reply.h"
#include "base/http/message/request.h"
#include "http/routing/answer.h"
#include "http/routing/router.h"
#include "http/services/services.h"

// The endpoints, which http/routes.cpp binds to their routes. A function that returns Answer may wait.

namespace pixledger::http {

// Every route there is. The services outlive the router that is made of them.
std::vector<Route> all_routes(const Services& services);

// --- accounts: what a user signs in with. All wait for a database, so their routes are longer(). A change
// needs a confirmed sign-in (403 ERR_AUTH_013) once the user has a credential. ---

Reply list_passkeys(const Services& services, const Request& request);
Reply add_passkey(const Services& services, const Request& request);
Reply remove_passkey(const Services& services, const Request& request);
// Hashes a password. The user's other sign-ins end.
Reply set_password(const Services& services, const Request& request);
// Without a code a new secret, with one of its codes that takes effect.
Reply set_totp(const Services& services, const Request& request);
Reply remove_totp(const Services& services, const Request& request);
Reply replace_recovery_codes(const Services& services, const Request& request);

// --- sign-ins. All wait for a database. ---

// Public. For any purpose but signing in, the caller sends the token of a sign-in.
Reply create_challenge(const Services& services, const Request& request);

// Public. 401 ERR_AUTH_011 for every invalid credential, 429 after too many failures.
Reply create_sign_in(const Services& services, const Request& request);
// Whether a body names a password, which then is hashed.
bool names_password(const Request& request);

Reply get_current_sign_in(const Services& services, const Request& request);
Reply end_current_sign_in(const Services& services, const Request& request);
Reply confirm_current_sign_in(const Services& services, const Request& request);
Reply list_sign_ins(const Services& services, const Request& request);
Reply end_sign_in(const Services& services, const Request& request);

// --- blocklist ---

// GET /api/v1/blocklist: a page of the project's entries, the newest first.
Reply list_blocklist(const Services& services, const Request& request);

// POST /api/v1/blocklist {type, value, reason?}: 201 with the entry, 200 with the one that is there already.
Answer add_blocklist_entry(const Services& services, const Request& request);

// DELETE /api/v1/blocklist/:id: 200 with the entry as it was.
Answer remove_blocklist_entry(const Services& services, const Request& request);

// --- channels ---

// GET of how a channel's receiver has answered in the last 24 hours.
Reply get_channel_stats(const Services& services, const Request& request);

// GET and POST /api/v1/notification-channels; GET, PATCH and DELETE /api/v1/notification-channels/:id.
Reply list_channels(const Services& services, const Request& request);
Answer add_channel(const Services& services, const Request& request);
Reply get_channel(const Services& services, const Request& request);
Answer update_channel(const Services& services, const Request& request);
Answer delete_channel(const Services& services, const Request& request);

// POST /api/v1/notification-channels/:id/rotate-secret
Answer rotate_channel_secret(const Services& services, const Request& request);

// GET of an event as a channel is told of it in v1 and in v2: the newest that it was told of, or else a test.
Reply preview_channel(const Services& services, const Request& request);

// GET /api/v1/notification-channels/events: what a channel can be told of.
Reply list_webhook_events(const Request& request);

// GET /api/v1/notification-channels/:id/deliveries
Reply list_deliveries(const Services& services, const Request& request);

// GET of one delivery with what its last attempt sent, or its first one will.
Reply get_delivery(const Services& services, const Request& request);

// What asks the webhook worker for something. The request is in the ledger when it is answered; the worker
// finds it there.

// POST /api/v1/notification-channels/:id/test
Answer test_channel(const Services& services, const Request& request);
// POST /api/v1/notification-channels/:id/recover
Answer recover_deliveries(const Services& services, const Request& request);
// POST /api/v1/deliveries/:id/redeliver
Answer redeliver(const Services& services, const Request& request);

// --- charges ---

// GET /api/v1/transactions and GET /api/transactions: the same charges and filters; the items differ.
Reply list_transactions_v1(const Services& services, const Request& request);
Reply list_transactions(const Services& services, const Request& request);

// GET of one transaction, in both path groups. A charge past its expiry is expired by the check,
// but not by one that asks how it was (`asOf`).
Answer get_transaction(const Services& services, const Request& request);

// GET …/qr.svg and …/qr.png: the code of a transaction that waits for its payment. Others have no code
// to be scanned: a static code could be paid a second time.
Reply get_qr_svg(const Services& services, const Request& request);
Reply get_qr_png(const Services& services, const Request& request);

// POST /api/v1/transactions/:id/cancel: a charge that waits for its payment is cancelled. It has no body.
Answer cancel_transaction(const Services& services, const Request& request);

// POST /api/v1/transactions/:id/refund {amountCents?, reason?}: gives back the payment or a part of it;
// without a body all that is left.
Answer refund_transaction(const Services& services, const Request& request);

// POST /api/v1/transactions: 201 with the charge's id and PIX code.
Answer create_transaction(const Services& services, const Request& request);

// GET of a charge's events with the proof that the ledger holds them, under a signed checkpoint. From the
// ledger itself, as of now; an overdue charge is not expired by it.
Reply get_receipt(const Services& services, const Request& request);

// POST /api/sandbox/transactions/:id/pay, /expire and /fail: simulate what happens to a sandbox charge. They
// have no body.
Answer sandbox_pay(const Services& services, const Request& request);
Answer sandbox_expire(const Services& services, const Request& request);
Answer sandbox_fail(const Services& services, const Request& request);

// GET of the transactions and customers that a text names or describes, ten of each: whatever a person at a
// desk has at hand.
Reply search(const Services& services, const Request& request);

// --- what people report of payments. No API key may: a report counts like the bank's own word. ---

// POST /api/v1/transactions/:id/confirm {endToEndId, amountCents, paidAt?}: a payment arrived for it. The
// answer has a `flag` where it was recorded and does not pay the transaction.
Answer confirm_payment(const Services& services, const Request& request);

// POST /api/v1/payments/:endToEndId/accept: a payment that did not fit pays its transaction after all.
Answer accept_payment(const Services& services, const Request& request);

// POST /api/v1/payments/:endToEndId/return {reason?, sendBack?}: it goes back to its payer, through the bank
// that the transaction is of unless `sendBack` says otherwise; else by other hands, which is only noted.
Answer return_payment(const Services& services, const Request& request);

// --- checkout sessions ---

// /api/v1/checkout/sessions, for merchants. Another project's session does not exist.

Answer create_checkout_session(const Services& services, const Request& request);
Reply list_checkout_sessions(const Services& services, const Request& request);
Reply get_checkout_session(const Services& services, const Request& request);
Answer cancel_checkout_session(const Services& services, const Request& request);
Reply list_checkout_deliveries(const Services& services, const Request& request);

// Whether a creation may have to ask name servers: where its webhooks are to go.
bool may_name_a_target(const Request& request);

// --- customers ---

// GET /api/customers and /api/v1/customers.
Reply list_customers(const Services& services, const Request& request);

// GET /api/v1/customers/:id, and GET /api/customers/:id, which leaves the fraud events out.
Reply get_customer_v1(const Services& services, const Request& request);
Reply get_customer(const Services& services, const Request& request);

// POST /api/v1/customers/:id/block {blockType, reason, expiresAt?} and /unblock (no body; what is sent is
// ignored). Doing either twice is the same as once.
Answer block_customer(const Services& services, const Request& request);
Answer unblock_customer(const Services& services, const Request& request);

// POST of a customer, in both path groups: 201 when the document is new in the project, else 200 with the
// customer as it is from now on.
Answer save_customer(const Services& services, const Request& request);

// --- events ---

// GET of the project's own events, in the order of the ledger and without a gap. With `wait`, a caller who
// has them all is answered when there is a new one.
Answer list_events(const Services& services, const Request& request);

// GET of what happened to one transaction, oldest first: the feed's items, each with who caused it.
Reply get_transaction_events(const Services& services, const Request& request);

// --- keys ---

// /api/v1/keys: what programs call the API with for the project. For its owners; of whoever acts in the
// sandbox only its keys.

// Newest first.
Reply list_keys(const Services& services, const Request& request);
// The key itself is in this answer and nowhere else, so a repeat under an Idempotency-Key has null in its
// place.
Answer issue_key(const Services& services, const Request& request);
// The same of a successor, beside which the old key works on for a while.
Answer roll_key(const Services& services, const Request& request);
Answer revoke_key(const Services& services, const Request& request);

// --- ledger ---

// What relates the states of the ledger that its key has signed, for whoever holds receipts and not the
// ledger.

// The signed tree head of everything that is committed.
Reply get_checkpoint(const Services& services, const Request& request);

// GET with `from` and `to`: the proof that the tree of the one size is a prefix of that of the other.
Reply get_consistency(const Services& services, const Request& request);

// --- members ---

// /api/v1/members: who may sign in for the project. For its owners.
//
// An invitation lets its holder in as that user, in all their projects, so an owner gets one only of who is
// in no other: whoever is to be in several is added by an operator.

Reply list_members(const Services& services, const Request& request);
Answer add_member(const Services& services, const Request& request);
Answer change_member(const Services& services, const Request& request);
// Deletes the account of a user who is in no project any more.
Answer remove_member(const Services& services, const Request& request);
// A new invitation, also of who has lost what they signed in with.
Answer invite_member(const Services& services, const Request& request);

// --- overview ---

// GET of the ways in which money comes in, and of how the banks behind them do. How a bank is spoken to is
// the operator's alone.
Reply list_connections(const Services& services, const Request& request);

// GET of a table of a project, as CSV or as lines of JSON: what `pixledger export` writes, of what this
// project may see. Made while it is read.
Answer export_table(const Services& services, const Request& request);

// POST of a bank's statement, which is compared with what the ledger has of the project, as `pixledger
// reconcile` does: read at once, compared a little at a time, and kept nowhere.
Answer reconcile(const Services& services, const Request& request);

// GET of the project's newest calls that were refused or failed at this server, by error and one by one.
Reply list_failed_requests(const Services& services, const Request& request);

// GET of what a project's charges came to, day by day and in all. Reads sums that the read models keep: at
// most 35,136 rows for a year, however many charges there were.
Reply get_stats(const Services& services, const Request& request);

// --- payers' pages ---

// GET /api/v1/payer/changes: server-sent events of all sessions of all projects, from now on, for as long as
// the caller reads: `event: session`, its id, version and state as they are when it is told. What a reader
// that was slow or away has missed it reads anew. A comment every 15 s.
Answer stream_payer_changes(const Services& services, const Request& request);

// /api/v1/payer/sessions/:token, for the server of payers' pages alone. The guard has found the session that
// the token opens: it is the caller's.

Answer get_payer_session(const Services& services, const Request& request);
// Says who pays: the first charge.
Answer add_payer_customer(const Services& services, const Request& request);
// The next charge, of whoever paid the one before.
Answer add_payer_charge(const Services& services, const Request& request);
Answer simulate_payer_payment(const Services& services, const Request& request);
Reply get_payer_proof(const Services& services, const Request& request);
Reply get_payer_logo(const Services& services, const Request& request);

// --- store ---

// GET /api/v1/store/: the store of the caller's key.
Reply get_store(const Services& services, const Request& request);

// PATCH /api/v1/store {name?, pixExpirationMinutes?, maxTransactionAmountCents?}: changes what is given and
// answers the store as it is from then on.
Answer change_store(const Services& services, const Request& request);

// --- system ---

// GET /healthz: the process answers.
Reply healthz(const Request& request);
// GET /readyz: it can serve truth, that is, its read models follow the ledger; else 503 with the reason.
Reply readyz(const Services& services, const Request& request);

// The OpenAPI document of every operation that this server has; JSON, valid for the life of the process.
std::string_view openapi_document();

// GET /openapi.json: the document, or 304 when If-None-Match names the ETag of it.
Reply get_openapi(const Request& request);

}  // namespace pixledger::http
