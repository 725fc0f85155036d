<?php

// The channel's URL. Anything but 2xx lets the service try again; what it never gets through, cron.php finds.

declare(strict_types=1);

// Where errors are shown, PHP answers 200 even if the page fails: 200 is set at the end.
http_response_code(500);

require __DIR__ . '/shop.php';

try {
    $body = file_get_contents('php://input');
    $webhook = Pixledger\verifyWebhook($body, $_SERVER, Shop::setting('PIXLEDGER_WEBHOOK_SECRET'));
} catch (Pixledger\WebhookVerificationError) {
    http_response_code(401);
    exit;
}
if (in_array($webhook['event'], Shop::EVENTS, true)) {
    (new Shop())->settle($webhook['data']['transactionId']);
}
http_response_code(200);
