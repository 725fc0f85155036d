<?php

// A shop in one file: sells one product in the sandbox, and prints when the webhook says that it is paid.
//   php -S 127.0.0.1:3000 shop.php, and a channel whose URL is http://127.0.0.1:3000/
//   PIXLEDGER_URL             base URL, such as http://127.0.0.1:8080
//   PIXLEDGER_KEY             a test key
//   PIXLEDGER_WEBHOOK_SECRET  the secret of the channel
//   SHOP_IS_A_TRIAL           yes: delivers sandbox payments; otherwise only real ones

declare(strict_types=1);
http_response_code(500); // until it is done: where errors are shown, PHP answers 200 even if the page fails
require __DIR__ . '/../autoload.php';

if ($_SERVER['REQUEST_METHOD'] === 'GET') {
    $client = new Pixledger\PixledgerClient(getenv('PIXLEDGER_KEY'), getenv('PIXLEDGER_URL'));
    $charge = $client->transactions->create([
        'customer' => [
            'name' => 'Ana Lima', 'document' => '52998224725', 'email' => 'ana@example.com', 'phone' => '11987654321',
        ],
        'payment' => ['amountCents' => 1990, 'product' => 'Camiseta'],
        'originDomain' => 'loja.example.com',
    ]);
    echo "pay this: {$charge['pixCode']}\n";
    $client->sandbox->pay($charge['id']); // what the customer's bank would do
    http_response_code(200);
    return;
}
try {
    $body = file_get_contents('php://input');
    $webhook = Pixledger\verifyWebhook($body, $_SERVER, getenv('PIXLEDGER_WEBHOOK_SECRET'));
} catch (Pixledger\WebhookVerificationError) {
    http_response_code(401);
    return;
}
// A webhook may come twice: in a real shop $webhook['data']['eventId'] goes into a unique column, before the work.
if ($webhook['event'] === 'transaction.paid') {
    // Anyone with a test key can pay in the sandbox, without money.
    $isOurs = $webhook['data']['isSandbox'] === (getenv('SHOP_IS_A_TRIAL') === 'yes');
    file_put_contents('php://stdout', ($isOurs ? 'deliver' : 'not paid here') . ": {$webhook['data']['product']}\n");
}
http_response_code(200);
