<?php

declare(strict_types=1);

require __DIR__ . '/../../../sdk/php/autoload.php';

$client = new Pixledger\PixledgerClient(getenv('KEY'), getenv('URL'), ['retries' => 30, 'timeout' => 5.0]);
$order = [
    'customer' => ['name' => 'Ana Lima', 'document' => '52998224725', 'email' => 'ana@example.com', 'phone' => '11987654321'],
    'payment' => ['amountCents' => 1990, 'product' => 'Camiseta'],
    'originDomain' => 'loja.example.com',
];
$ids = [];
for ($i = 0; $i < (int) getenv('COUNT'); $i++) {
    $ids[] = $client->transactions->create($order, ['idempotencyKey' => "php-{$i}"])['id'];
}
$seen = [];
foreach ($client->events->follow(['limit' => 5, 'types' => 'transaction.created'], ['stopWhenIdle' => true]) as $event) {
    $seen[] = $event['transactionId'];
}
echo json_encode(['ids' => $ids, 'seen' => $seen]);
