<?php

// POST: buys a shirt, and shows the code to pay it. GET ?order=1: how far it is.

declare(strict_types=1);

require __DIR__ . '/shop.php';

header('Content-Type: application/json');
$shop = new Shop();
if ($_SERVER['REQUEST_METHOD'] === 'POST') {
    $shop->database->exec("INSERT INTO orders (product, amount_cents, status) VALUES ('Camiseta', 1990, 'waiting')");
    $id = $shop->database->lastInsertId();
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
            'externalId' => "{$shop->prefix}-{$id}",
        ],
        // The first attempt of this order: repeated, it is the same charge.
        ['idempotencyKey' => "{$shop->prefix}-{$id}-1"],
    );
    $shop->database->prepare('UPDATE orders SET transaction_id = ? WHERE id = ?')->execute([$charge['id'], $id]);
}
$order = $shop->database->prepare('SELECT id, status, transaction_id FROM orders WHERE id = ?');
$order->execute([$id ?? $_GET['order'] ?? 0]);
$shown = $order->fetch(PDO::FETCH_ASSOC);
http_response_code($shown === false ? 404 : 200);
echo json_encode($shown === false ? null : $shown + ['pixCode' => $charge['pixCode'] ?? null]), "\n";
