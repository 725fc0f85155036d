"""A shop in one file: sells one product in the sandbox, and prints when the webhook says that it is paid. It reads
PIXLEDGER_URL, PIXLEDGER_KEY (a test key), PIXLEDGER_WEBHOOK_SECRET (of a channel whose URL is this shop's),
SHOP_IS_A_TRIAL (yes: delivers sandbox payments), PORT (default 3000)."""
import os
from http.server import BaseHTTPRequestHandler, HTTPServer

from pixledger import PixledgerClient, WebhookVerificationError, verify_webhook

client = PixledgerClient(os.environ["PIXLEDGER_KEY"], os.environ["PIXLEDGER_URL"])
handled = set()  # in a real shop a unique column in its database


class Shop(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        try:
            webhook = verify_webhook(body, self.headers, os.environ["PIXLEDGER_WEBHOOK_SECRET"])
        except WebhookVerificationError:
            return self.send_error(401)
        self.send_response(204)  # at once; the work comes afterwards
        self.end_headers()
        event_id = webhook["data"].get("eventId", webhook["delivery"]["id"])  # v1 has none
        if webhook["type"] != "transaction" or event_id in handled:
            return None
        handled.add(event_id)
        print(f"{webhook['event']}: {webhook['data']['product']} for {webhook['data']['customerName']}", flush=True)
        if webhook["event"] == "transaction.paid":  # anyone with a test key can pay in the sandbox, without money
            is_ours = webhook["data"]["isSandbox"] == (os.environ.get("SHOP_IS_A_TRIAL") == "yes")
            print("deliver" if is_ours else "not paid here", webhook["data"]["product"], flush=True)


shop = HTTPServer(("127.0.0.1", int(os.environ.get("PORT", "3000"))), Shop)
charge = client.transactions.create({
    "customer": {"name": "Ana Lima", "document": "52998224725", "email": "ana@example.com", "phone": "11987654321"},
    "payment": {"amountCents": 1990, "product": "Camiseta"},
    "originDomain": "loja.example.com",
})
print(f"pay this: {charge['pixCode']}", flush=True)
client.sandbox.pay(charge["id"])  # what the customer's bank would do
shop.serve_forever()
