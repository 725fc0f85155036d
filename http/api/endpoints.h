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

// All routes. The services outlive the router.
std::vector<Route> all_routes(const Services& services);

// --- accounts: a user's credentials. All query a database, so their routes are longer(). A change needs a
// confirmed sign-in (403 ERR_AUTH_013) once the user has a credential. ---

Reply list_passkeys(const Services& services, const Request& request);
Reply add_passkey(const Services& services, const Request& request);
Reply remove_passkey(const Services& services, const Request& request);
// Hashes a password. Ends the user's other sign-ins.
Reply set_password(const Services& services, const Request& request);
// Without a code returns a new secret; with one of its codes enables it.
Reply set_totp(const Services& services, const Request& request);
Reply remove_totp(const Services& services, const Request& request);
Reply replace_recovery_codes(const Services& services, const Request& request);

// --- sign-ins. All query a database. ---

// Public. For all purposes but signing in, the caller sends a sign-in's token.
Reply create_challenge(const Services& services, const Request& request);

// Public. 401 ERR_AUTH_011 for every invalid credential, 429 after too many failures.
Reply create_sign_in(const Services& services, const Request& request);
// Whether the body contains a password, which is then hashed.
bool names_password(const Request& request);

Reply get_current_sign_in(const Services& services, const Request& request);
Reply end_current_sign_in(const Services& services, const Request& request);
Reply confirm_current_sign_in(const Services& services, const Request& request);
Reply list_sign_ins(const Services& services, const Request& request);
Reply end_sign_in(const Services& services, const Request& request);

// --- blocklist ---

// GET /api/v1/blocklist: a page of the project's entries, newest first.
Reply list_blocklist(const Services& services, const Request& request);

// POST /api/v1/blocklist {type, value, reason?}: 201 with the entry, 200 with an existing one.
Answer add_blocklist_entry(const Services& services, const Request& request);

// DELETE /api/v1/blocklist/:id: 200 with the entry as it was.
Answer remove_blocklist_entry(const Services& services, const Request& request);

// --- channels ---

// GET of how a channel's receiver has responded in the last 24 hours.
Reply get_channel_stats(const Services& services, const Request& request);

// GET and POST /api/v1/notification-channels; GET, PATCH and DELETE /api/v1/notification-channels/:id.
Reply list_channels(const Services& services, const Request& request);
Answer add_channel(const Services& services, const Request& request);
Reply get_channel(const Services& services, const Request& request);
Answer update_channel(const Services& services, const Request& request);
Answer delete_channel(const Services& services, const Request& request);

// POST /api/v1/notification-channels/:id/rotate-secret
Answer rotate_channel_secret(const Services& services, const Request& request);

// GET of an event as the channel gets it in v1 and in v2: the newest that it was sent, or else a test event.
Reply preview_channel(const Services& services, const Request& request);

// GET /api/v1/notification-channels/events: the events that a channel can subscribe to.
Reply list_webhook_events(const Request& request);

// GET /api/v1/notification-channels/:id/deliveries
Reply list_deliveries(const Services& services, const Request& request);

// GET of one delivery with the payload of its last attempt, or of its first one to come.
Reply get_delivery(const Services& services, const Request& request);

// Requests to the webhook worker. Each is recorded in the ledger before its reply; the worker finds it there.

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

// GET of one transaction, in both path groups. Expires an overdue charge, unless an earlier state is asked
// for (`asOf`).
Answer get_transaction(const Services& services, const Request& request);

// GET …/qr.svg and …/qr.png: the code of a transaction that waits for its payment. Others have none: a static
// code could be paid twice.
Reply get_qr_svg(const Services& services, const Request& request);
Reply get_qr_png(const Services& services, const Request& request);

// POST /api/v1/transactions/:id/cancel: cancels a charge that waits for its payment. No body.
Answer cancel_transaction(const Services& services, const Request& request);

// POST /api/v1/transactions/:id/refund {amountCents?, reason?}: refunds the payment or a part of it; without
// a body all that is left.
Answer refund_transaction(const Services& services, const Request& request);

// POST /api/v1/transactions: 201 with the charge's id and PIX code.
Answer create_transaction(const Services& services, const Request& request);

// GET of a charge's events with the proof that the ledger contains them, under a signed checkpoint. Read from
// the ledger as of now; does not expire an overdue charge.
Reply get_receipt(const Services& services, const Request& request);

// POST /api/sandbox/transactions/:id/pay, /expire and /fail: simulate events of a sandbox charge. No body.
Answer sandbox_pay(const Services& services, const Request& request);
Answer sandbox_expire(const Services& services, const Request& request);
Answer sandbox_fail(const Services& services, const Request& request);

// GET of the transactions and customers that match a text, ten of each: an id, a document or any other
// detail.
Reply search(const Services& services, const Request& request);

// --- reports of payments. Not for API keys: a report counts like the bank's own. ---

// POST /api/v1/transactions/:id/confirm {endToEndId, amountCents, paidAt?}: a payment arrived for it. The
// reply has a `flag` if the payment was recorded and does not pay the transaction.
Answer confirm_payment(const Services& services, const Request& request);

// POST /api/v1/payments/:endToEndId/accept: lets a flagged payment pay its transaction.
Answer accept_payment(const Services& services, const Request& request);

// POST /api/v1/payments/:endToEndId/return {reason?, sendBack?}: returns the payment through the
// transaction's bank. If `sendBack` is false, only records that it was returned by other means.
Answer return_payment(const Services& services, const Request& request);

// --- checkout sessions ---

// /api/v1/checkout/sessions, for merchants. Sessions of other projects are not found.

Answer create_checkout_session(const Services& services, const Request& request);
Reply list_checkout_sessions(const Services& services, const Request& request);
Reply get_checkout_session(const Services& services, const Request& request);
Answer cancel_checkout_session(const Services& services, const Request& request);
Reply list_checkout_deliveries(const Services& services, const Request& request);

// Whether a creation may need name servers, for the target of its webhooks.
bool may_name_a_target(const Request& request);

// --- customers ---

// GET /api/customers and /api/v1/customers.
Reply list_customers(const Services& services, const Request& request);

// GET /api/v1/customers/:id, and GET /api/customers/:id, which leaves the fraud events out.
Reply get_customer_v1(const Services& services, const Request& request);
Reply get_customer(const Services& services, const Request& request);

// POST /api/v1/customers/:id/block {blockType, reason, expiresAt?} and /unblock (a body is ignored). Both are
// idempotent.
Answer block_customer(const Services& services, const Request& request);
Answer unblock_customer(const Services& services, const Request& request);

// POST of a customer, in both path groups: 201 if the document is new in the project, else 200. The reply is
// the saved customer.
Answer save_customer(const Services& services, const Request& request);

// --- events ---

// GET of the project's own events, in the ledger's order and without gaps. With `wait`, a caller at the end
// waits for the next event.
Answer list_events(const Services& services, const Request& request);

// GET of a transaction's events, oldest first: the feed's items with their actors.
Reply get_transaction_events(const Services& services, const Request& request);

// --- keys ---

// /api/v1/keys: the project's API keys. For owners; in the sandbox its keys only.

// Newest first.
Reply list_keys(const Services& services, const Request& request);
// Only this reply contains the key itself. A repeat under an Idempotency-Key has null in its place.
Answer issue_key(const Services& services, const Request& request);
// The same for a successor; the old key stays valid for a while.
Answer roll_key(const Services& services, const Request& request);
Answer revoke_key(const Services& services, const Request& request);

// --- ledger ---

// Proofs between signed states of the ledger, for holders of receipts.

// The signed tree head of all committed events.
Reply get_checkpoint(const Services& services, const Request& request);

// GET with `from` and `to`: the proof that the smaller tree is a prefix of the larger one.
Reply get_consistency(const Services& services, const Request& request);

// --- members ---

// /api/v1/members: the project's users. For owners.
//
// An invitation signs its holder in as that user, in all their projects. So an owner gets one only for a user
// without other projects; an operator adds users to several.

Reply list_members(const Services& services, const Request& request);
Answer add_member(const Services& services, const Request& request);
Answer change_member(const Services& services, const Request& request);
// Deletes the account of a user without other projects.
Answer remove_member(const Services& services, const Request& request);
// A new invitation, also for a user who has lost their credentials.
Answer invite_member(const Services& services, const Request& request);

// --- overview ---

// GET of the project's connections and the state of their banks. The details of a bank's interface are for
// operators only.
Reply list_connections(const Services& services, const Request& request);

// GET of a project's table, as CSV or lines of JSON: the rows of `pixledger export` that this project may
// see. Made while it is read.
Answer export_table(const Services& services, const Request& request);

// POST of a bank's statement, compared with the project's ledger as by `pixledger reconcile`. It is parsed at
// once, compared in small steps, and not stored.
Answer reconcile(const Services& services, const Request& request);

// GET of the project's newest failed calls at this server, by error and one by one.
Reply list_failed_requests(const Services& services, const Request& request);

// GET of sums of a project's charges, by day and in total. Reads sums of the read models: at most 35,136 rows
// for a year, however many charges there were.
Reply get_stats(const Services& services, const Request& request);

// --- payers' pages ---

// GET /api/v1/payer/changes: endless server-sent events of all sessions of all projects, from now on: `event:
// session` with its id, version and current state. A reader that missed events reads the session again. A
// comment every 15 s.
Answer stream_payer_changes(const Services& services, const Request& request);

// /api/v1/payer/sessions/:token, for the page server alone. The guard has opened the token's session: it is
// the caller's.

Answer get_payer_session(const Services& services, const Request& request);
// Sets the payer and creates the first charge.
Answer add_payer_customer(const Services& services, const Request& request);
// Creates the next charge, with the same payer.
Answer add_payer_charge(const Services& services, const Request& request);
Answer simulate_payer_payment(const Services& services, const Request& request);
Reply get_payer_proof(const Services& services, const Request& request);
Reply get_payer_logo(const Services& services, const Request& request);

// --- store ---

// GET /api/v1/store/: the caller's store.
Reply get_store(const Services& services, const Request& request);

// PATCH /api/v1/store {name?, pixExpirationMinutes?, maxTransactionAmountCents?}: changes the given settings
// and returns the store.
Answer change_store(const Services& services, const Request& request);

// --- system ---

// GET /healthz: the process responds.
Reply healthz(const Request& request);
// GET /readyz: the read models follow the ledger; else 503 with the reason.
Reply readyz(const Services& services, const Request& request);

// The OpenAPI document of all operations, as JSON; valid for the life of the process.
std::string_view openapi_document();

// GET /openapi.json: the document, or 304 when If-None-Match names the ETag of it.
Reply get_openapi(const Request& request);

}  // namespace pixledger::http
