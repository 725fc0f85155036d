import json
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[3] / "sdk/python"))
from pixledger import PixledgerClient

client = PixledgerClient(os.environ["KEY"], os.environ["URL"], retries=30, timeout=5.0)
order = {
    "customer": {"name": "Ana Lima", "document": "52998224725", "email": "ana@example.com", "phone": "11987654321"},
    "payment": {"amountCents": 1990, "product": "Camiseta"},
    "originDomain": "loja.example.com",
}
count = int(os.environ["COUNT"])
ids = [client.transactions.create(order, idempotency_key=f"python-{i}")["id"] for i in range(count)]
query = {"limit": 5, "types": "transaction.created"}
seen = [event["transactionId"] for event in client.events.follow(query, stop_when_idle=True)]
print(json.dumps({"ids": ids, "seen": seen}))
