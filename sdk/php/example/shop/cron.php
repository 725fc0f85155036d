<?php

// Every minute: * * * * * php /srv/shop/cron.php
// Reads the feed from the last place on, so that a payment counts although its webhook never came.

declare(strict_types=1);

if (PHP_SAPI !== 'cli') {
    http_response_code(404);
    exit;
}

require __DIR__ . '/shop.php';

$lock = fopen(Shop::setting('SHOP_DATABASE') . '.lock', 'c');
if (!flock($lock, LOCK_EX | LOCK_NB)) {
    exit; // the last run has not ended
}
$shop = new Shop();
$options = [
    'stopWhenIdle' => true,
    'onCutOff' => static function (string $place) use ($shop): void {
        error_log('the service was restored from a backup: compare the orders that were paid lately with it');
        $shop->keepPlace($place);
    },
];
$wanted = ['after' => $shop->place(), 'types' => Shop::EVENTS];
foreach ($shop->client->events->follow($wanted, $options) as $event) {
    $shop->settle($event['transactionId']);
    $shop->keepPlace($event['id']); // after the work: what fails now is done again by the next run
}
