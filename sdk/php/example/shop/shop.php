<?php

// What the pages and the cron line have in common: the client, the table of orders, and what a payment does.
//   PIXLEDGER_URL, PIXLEDGER_KEY, PIXLEDGER_WEBHOOK_SECRET  of the service, the project and the channel
//   SHOP_DATABASE    a file of SQLite, outside of what the web server shows
//   SHOP_IS_A_TRIAL  yes: delivers sandbox payments; otherwise only real ones.
//                    Pages and cron line need the same.

declare(strict_types=1);

require_once __DIR__ . '/../../autoload.php';

use Pixledger\ApiError;
use Pixledger\PixledgerClient;

class Shop
{
    // The API says that the transaction is another project's, or not shown to this key. A firewall's 403 or 404 has
    // none of these codes, and must not be taken for that.
    private const OF_OTHERS = ['ERR_TRANSACTION_001', 'ERR_TRANSACTION_003', 'ERR_AUTH_010'];

    /** What settles a transaction. */
    public const EVENTS = ['transaction.paid', 'transaction.partially_refunded', 'transaction.refunded'];

    public readonly PixledgerClient $client;
    public readonly PDO $database;
    /** Of this shop's orders in the service: another shop, or this one installed again, has its own number 1. */
    public readonly string $prefix;

    public function __construct()
    {
        // A payer waits for the pages, and the service at most 15 seconds for an answer to a webhook.
        $options = ['timeout' => 5, 'retries' => 1];
        $this->client = new PixledgerClient(self::setting('PIXLEDGER_KEY'), self::setting('PIXLEDGER_URL'), $options);
        $this->database = new PDO('sqlite:' . self::setting('SHOP_DATABASE'));
        $this->database->exec('PRAGMA busy_timeout = 5000');
        $this->database->exec('CREATE TABLE IF NOT EXISTS orders (id INTEGER PRIMARY KEY, product TEXT NOT NULL,
            amount_cents INTEGER NOT NULL, status TEXT NOT NULL, transaction_id TEXT, pix_code TEXT)');
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

    /** A setting of the environment. Without the database's, SQLite would forget everything, and say nothing. */
    public static function setting(string $name): string
    {
        return getenv($name) ?: throw new RuntimeException("set {$name}");
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
            if (in_array($error->errorCode, self::OF_OTHERS, true)) {
                return;
            }
            throw $error;
        }
        // By the order's own number, since the reply with the charge's id may have been lost.
        [$prefix, $id] = explode('-', $charge['externalId']) + [1 => ''];
        if ($prefix !== $this->prefix) {
            return;
        }
        // No money moves in the sandbox.
        if ($charge['environment'] !== (getenv('SHOP_IS_A_TRIAL') === 'yes' ? 'sandbox' : 'live')) {
            error_log("order {$id}: ignored {$charge['id']} of the environment {$charge['environment']}");
            return;
        }
        // A delivery that fails undoes the change, and the next webhook or run repeats both.
        $this->database->beginTransaction();
        try {
            $this->change($id, $charge);
            $this->database->commit();
        } catch (Throwable $error) {
            $this->database->rollBack();
            throw $error;
        }
        $this->report($id, $charge);
    }

    private function change(string $id, array $charge): void
    {
        if ($charge['status'] === 'paid') {
            $pay = $this->database->prepare("UPDATE orders SET status = 'paid', transaction_id = ?
                WHERE id = ? AND status = 'waiting' AND amount_cents = ? AND amount_cents <= ?");
            $pay->execute([$charge['id'], $id, $charge['amountCents'], $charge['paidAmountCents']]);
            if ($pay->rowCount() === 1) {
                $this->deliver($id);
            }
        } elseif ($charge['status'] === 'refunded') {
            // Only by the charge that paid it: a second payment that is refunded changes nothing.
            $this->database->prepare("UPDATE orders SET status = 'refunded'
                WHERE id = ? AND status = 'paid' AND transaction_id = ?")->execute([$id, $charge['id']]);
        }
    }

    /** Logs what a person has to look at. */
    private function report(string $id, array $charge): void
    {
        if ($charge['status'] !== 'paid') {
            return;
        }
        $order = $this->database->prepare("SELECT 1 FROM orders
            WHERE id = ? AND status = 'paid' AND transaction_id = ?");
        $order->execute([$id, $charge['id']]);
        if ($order->fetchColumn() === false) {
            error_log("order {$id}: paid twice, or not its amount: check {$charge['id']} and refund it");
        } elseif ($charge['refundedAmountCents'] > 0) {
            error_log("order {$id}: {$charge['refundedAmountCents']} cents were refunded");
        }
    }

    /** The shop's own work, in the transaction that makes the order paid. Mails go into a table of mails to send. */
    protected function deliver(string $id): void
    {
        error_log("deliver order {$id}");
    }
}
