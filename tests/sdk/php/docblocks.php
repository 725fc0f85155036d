<?php

// Usage: php docblocks.php FOLDER
// Reads every comment of the SDK as phpstan does: prints what is not of its grammar, and types that nothing declares.

declare(strict_types=1);

use PHPStan\PhpDocParser\Ast\Node;
use PHPStan\PhpDocParser\Ast\PhpDoc\InvalidTagValueNode;
use PHPStan\PhpDocParser\Ast\PhpDoc\TypeAliasImportTagValueNode;
use PHPStan\PhpDocParser\Ast\PhpDoc\TypeAliasTagValueNode;
use PHPStan\PhpDocParser\Ast\Type\ArrayShapeItemNode;
use PHPStan\PhpDocParser\Ast\Type\IdentifierTypeNode;
use PHPStan\PhpDocParser\Lexer\Lexer;
use PHPStan\PhpDocParser\Parser\ConstExprParser;
use PHPStan\PhpDocParser\Parser\PhpDocParser;
use PHPStan\PhpDocParser\Parser\TokenIterator;
use PHPStan\PhpDocParser\Parser\TypeParser;

require 'PHPStan/PhpDocParser/autoload.php';
require "{$argv[1]}/autoload.php";

// What phpstan knows by itself.
const KNOWN = [
    'array', 'bool', 'callable', 'false', 'float', 'int', 'list', 'mixed', 'never', 'non-empty-list', 'null', 'self',
    'static', 'string', 'true', 'void', 'array-key',
];

/** @return list<IdentifierTypeNode> every name of a type below a node */
function names(mixed $node): array
{
    if ($node instanceof ArrayShapeItemNode) {
        return names($node->valueType); // its key is no type
    }
    $found = $node instanceof IdentifierTypeNode ? [$node] : [];
    foreach ($node instanceof Node ? get_object_vars($node) : (is_array($node) ? $node : []) as $each) {
        array_push($found, ...names($each));
    }
    return $found;
}

$parser = new PhpDocParser(new TypeParser(new ConstExprParser()), new ConstExprParser());
$lexer = new Lexer();
$status = 0;
$count = 0;
foreach (new RecursiveIteratorIterator(new RecursiveDirectoryIterator("{$argv[1]}/src")) as $file) {
    if ($file->getExtension() !== 'php') {
        continue;
    }
    $text = file_get_contents($file->getPathname());
    $namespace = preg_match('/^namespace (.*);$/m', $text, $parts) === 1 ? $parts[1] : '';
    preg_match_all('/^use (\S+);$/m', $text, $uses);
    $declared = KNOWN;
    foreach ($uses[1] as $class) {
        $declared[] = substr($class, strrpos($class, '\\') + 1);
    }
    $used = [];
    foreach (token_get_all($text) as $token) {
        if (!is_array($token) || $token[0] !== T_DOC_COMMENT) {
            continue;
        }
        $count += 1;
        foreach ($parser->parse(new TokenIterator($lexer->tokenize($token[1])))->getTags() as $tag) {
            if ($tag->value instanceof InvalidTagValueNode) {
                echo "{$file}:{$token[2]}: {$tag->name} {$tag->value->exception->getMessage()}\n";
                $status = 1;
            } elseif ($tag->value instanceof TypeAliasTagValueNode) {
                $declared[] = $tag->value->alias;
            } elseif ($tag->value instanceof TypeAliasImportTagValueNode) {
                $declared[] = $tag->value->importedAlias;
            }
            array_push($used, ...($tag->value instanceof TypeAliasImportTagValueNode ? [] : names($tag->value)));
        }
    }
    foreach (array_unique(array_map(static fn (IdentifierTypeNode $each): string => $each->name, $used)) as $name) {
        $isClass = false;
        foreach ([ltrim($name, '\\'), "{$namespace}\\{$name}"] as $class) {
            $isClass = $isClass || class_exists($class) || interface_exists($class);
        }
        if (!$isClass && !in_array($name, $declared, true)) {
            echo "{$file}: nothing declares the type {$name}\n";
            $status = 1;
        }
    }
}
echo "{$count} comments\n";
exit($status);
