<?php

declare(strict_types=1);

namespace Pixledger\Internal;

/** The Merkle tree of RFC 6962 section 2.1, with SHA-256. */
final class Merkle
{
    /**
     * Whether the leaf is at `position` (1, 2, 3…) in the tree of that size and root: the proof is followed by
     * dividing the tree as section 2.1.1 does when it makes one.
     *
     * @param list<string> $proof
     */
    public static function isIncluded(string $leaf, int $position, int $size, array $proof, string $root): bool
    {
        if ($position < 1 || $position > $size) {
            return false;
        }
        $turns = []; // whether the leaf was on the left, at each division from the root down
        for ($begin = 0, $end = $size; $end - $begin > 1;) {
            $half = 1;
            while ($half * 2 < $end - $begin) {
                $half *= 2;
            }
            $isLeft = $position <= $begin + $half;
            $turns[] = $isLeft;
            if ($isLeft) {
                $end = $begin + $half;
            } else {
                $begin += $half;
            }
        }
        if (count($turns) !== count($proof)) {
            return false;
        }
        $hash = hash('sha256', "\x00{$leaf}", true);
        foreach ($proof as $i => $sibling) {
            $isLeft = $turns[count($turns) - 1 - $i];
            $hash = hash('sha256', "\x01" . ($isLeft ? $hash . $sibling : $sibling . $hash), true);
        }
        return hash_equals($root, $hash);
    }
}
