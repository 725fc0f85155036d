<?php

// What the pages and the cron line have in common: the client, the table of orders, and what a payment does.
//   PIXLEDGER_URL, PIXLEDGER_KEY, PIXLEDGER_WEBHOOK_SECRET  of the service, the project and the channel
//   SHOP_DATABASE    a file of SQLite, outside of what the web server shows
//   SHOP_IS_A_TRIAL  yes: delivers sandbox payments; otherwise only real ones

declare(strict_types=1);

require_once __DIR__ . '/../../autoload.php';

use Pixledger\ApiError;
use Pixledger\PixledgerClient;

final class Shop
{
    public readonly PixledgerClient $client;
    public readonly PDO $database;
    /** Of this shop's orders in the service: another shop, or this one installed again, has its own number 1. */
    public readonly string $prefix;

    public function __construct()
    {
        $this->client = new PixledgerClient(getenv('PIXLEDGER_KEY'), getenv('PIXLEDGER_URL'));
        $this->database = new PDO('sqlite:' . getenv('SHOP_DATABASE'));
        $this->database->exec('PRAGMA busy_timeout = 5000');
        $this->database->exec('CREATE TABLE IF NOT EXISTS orders (id INTEGER PRIMARY KEY, product TEXT NOT NULL,
            amount_cents INTEGER NOT NULL, status TEXT NOT NULL, transaction_id TEXT)');
        $this->database->exec('CREATE TABLE IF NOT EXISTS shop (id INTEGER PRIMARY KEY CHECK (id = 1),
            prefix TEXT NOT NULL, place TEXT NOT NULL)');
        if ($this->database->query('SELECT 1 FROM shop')->fetchColumn() === false) {
            // Before the first order: what happens from now on is read by the cron line.
            $place = $this->client->events->list(['after' => 'now'])['meta']['next'];
            $this->database->prepare('INSERT OR IGNORE INTO shop VALUES (1, ?, ?)')
                ->execute([bin2hex(random_bytes(4)), $place]);
        }
        $this->prefix = $this->database->query('SELECT prefix FROM shop')->fetchColumn();
    }

    /** The id of the last event of the feed that was handled. */
    public function place(): string
    {
        return $this->database->query('SELECT place FROM shop')->fetchColumn();
    }

    public function keepPlace(string $place): void
    {
        $this->database->prepare('UPDATE shop SET place = ?')->execute([$place]);
    }

    /**
     * Makes the order's status that of its charge. Webhook and cron line both come here, in any order and more than
     * once: the order changes once.
     */
    public function settle(string $transactionId): void
    {
        try {
            $charge = $this->client->transactions->get($transactionId);
        } catch (ApiError $error) {
            // A test key is not shown what is live.
            if (in_array($error->status, [403, 404], true)) {
                return;
            }
            throw $error;
        }
        // No money moves in the sandbox.
        if ($charge['environment'] !== (getenv('SHOP_IS_A_TRIAL') === 'yes' ? 'sandbox' : 'live')) {
            return;
        }
        $from = ['paid' => 'waiting', 'refunded' => 'paid'][$charge['status']] ?? null;
        // By the order's own number, since the reply with the charge's id may have been lost.
        [$prefix, $id] = explode('-', $charge['externalId']) + [1 => ''];
        if ($from === null || $prefix !== $this->prefix) {
            return;
        }
        $change = $this->database->prepare('UPDATE orders SET status = ?, transaction_id = ?
            WHERE id = ? AND status = ? AND amount_cents = ?');
        $change->execute([$charge['status'], $charge['id'], $id, $from, $charge['amountCents']]);
        if ($change->rowCount() === 1 && $charge['status'] === 'paid') {
            error_log("deliver order {$id}"); // here the shop's own work begins
        }
    }
}
