<?php

// The channel's URL. Anything but 2xx lets the service try again; what it never gets through, cron.php finds.

declare(strict_types=1);

require __DIR__ . '/shop.php';

try {
    $body = file_get_contents('php://input');
    $webhook = Pixledger\verifyWebhook($body, $_SERVER, getenv('PIXLEDGER_WEBHOOK_SECRET'));
} catch (Pixledger\WebhookVerificationError) {
    http_response_code(401);
    exit;
}
if (in_array($webhook['event'], ['transaction.paid', 'transaction.refunded'], true)) {
    (new Shop())->settle($webhook['data']['transactionId']);
}
