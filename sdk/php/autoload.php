<?php

declare(strict_types=1);

// For shops without Composer: require this file.

spl_autoload_register(static function (string $class): void {
    $prefix = 'Pixledger\\';
    if (!str_starts_with($class, $prefix)) {
        return;
    }
    $file = __DIR__ . '/src/' . strtr(substr($class, strlen($prefix)), '\\', '/') . '.php';
    if (is_file($file)) {
        require $file;
    }
});

require_once __DIR__ . '/src/functions.php';
