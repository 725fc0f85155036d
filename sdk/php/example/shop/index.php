<?php

// POST: buys a shirt, and shows the code to pay it; POST ?order=1: creates its charge, if that failed.
// GET ?order=1: how far it is.

declare(strict_types=1);

http_response_code(500); // until it is done, as in webhook.php

require __DIR__ . '/shop.php';

header('Content-Type: application/json');
$shop = new Shop();
$find = static function (int $id) use ($shop): array|false {
    $order = $shop->database->prepare('SELECT id, status, transaction_id, pix_code AS pixCode FROM orders WHERE id = ?');
    $order->execute([$id]);
    return $order->fetch(PDO::FETCH_ASSOC);
};
$id = (int) ($_GET['order'] ?? 0);
if ($_SERVER['REQUEST_METHOD'] === 'POST' && $id === 0) {
    $shop->database->exec("INSERT INTO orders (product, amount_cents, status) VALUES ('Camiseta', 1990, 'waiting')");
    $id = (int) $shop->database->lastInsertId();
}
$order = $find($id);
if ($_SERVER['REQUEST_METHOD'] === 'POST' && $order !== false && $order['pixCode'] === null) {
    $charge = $shop->client->transactions->create(
        [
            'customer' => [
                'name' => 'Ana Lima',
                'document' => '52998224725',
                'email' => 'ana@example.com',
                'phone' => '11987654321',
            ],
            'payment' => ['amountCents' => 1990, 'product' => 'Camiseta'],
            'originDomain' => 'loja.example.com',
            'externalId' => "{$shop->prefix}-{$order['id']}",
        ],
        // The first attempt of this order: repeated, it is the same charge.
        ['idempotencyKey' => "{$shop->prefix}-{$order['id']}-1"],
    );
    $keep = 'UPDATE orders SET transaction_id = COALESCE(transaction_id, ?), pix_code = ? WHERE id = ?';
    $shop->database->prepare($keep)->execute([$charge['id'], $charge['pixCode'], $order['id']]);
    $order = $find($order['id']);
}
http_response_code($order === false ? 404 : 200);
echo json_encode($order ?: null), "\n";
