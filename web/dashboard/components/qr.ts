// QR codes (ISO/IEC 18004) of bytes, with error correction M, up to version 20: enough for 660 bytes.

// By version: error-correction codewords a block, and the number of blocks.
const correction = [10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26];
const blocks = [1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16];

function alignments(version: number): number[] {
  if (version === 1) return [];
  const count = Math.floor(version / 7) + 2;
  const step = Math.ceil((version * 4 + 4) / (count * 2 - 2)) * 2;
  const places = [6];
  for (let at = version * 4 + 10; places.length < count; at -= step) places.splice(1, 0, at);
  return places;
}

// The number of modules for data: all but patterns and format bits.
function rawModules(version: number): number {
  let modules = (16 * version + 128) * version + 64;
  if (version >= 2) {
    const count = Math.floor(version / 7) + 2;
    modules -= (25 * count - 10) * count - 55;
    if (version >= 7) modules -= 36;
  }
  return modules;
}

// Multiplication in GF(256) modulo x⁸ + x⁴ + x³ + x² + 1.
function product(a: number, b: number): number {
  let value = 0;
  for (let bit = 7; bit >= 0; bit--) {
    value = (value << 1) ^ ((value >>> 7) * 0x11d);
    value ^= ((b >>> bit) & 1) * a;
  }
  return value;
}

function divisor(degree: number): number[] {
  const result = new Array<number>(degree).fill(0);
  result[degree - 1] = 1;
  let root = 1;
  for (let i = 0; i < degree; i++) {
    for (let j = 0; j < degree; j++) result[j] = product(result[j]!, root) ^ (result[j + 1] ?? 0);
    root = product(root, 2);
  }
  return result;
}

function remainder(data: number[], by: number[]): number[] {
  const rest = new Array<number>(by.length).fill(0);
  for (const byte of data) {
    const factor = byte ^ rest.shift()!;
    rest.push(0);
    by.forEach((each, i) => (rest[i]! ^= product(each, factor)));
  }
  return rest;
}

function codewords(bytes: Uint8Array, version: number): number[] {
  const all = Math.floor(rawModules(version) / 8);
  const perBlock = correction[version - 1]!;
  const count = blocks[version - 1]!;
  const room = all - perBlock * count;
  const bits: number[] = [];
  const put = (value: number, length: number) => {
    for (let bit = length - 1; bit >= 0; bit--) bits.push((value >>> bit) & 1);
  };
  put(4, 4);
  put(bytes.length, version < 10 ? 8 : 16);
  for (const byte of bytes) put(byte, 8);
  put(0, Math.min(4, room * 8 - bits.length));
  put(0, -bits.length & 7);
  for (let pad = 0xec; bits.length < room * 8; pad ^= 0xec ^ 0x11) put(pad, 8);
  const data: number[] = [];
  for (let i = 0; i < bits.length; i += 8) data.push(parseInt(bits.slice(i, i + 8).join(""), 2));
  // The first blocks are one byte shorter.
  const shorter = count - (all % count);
  const size = Math.floor(all / count) - perBlock;
  const by = divisor(perBlock);
  const parts: { data: number[]; check: number[] }[] = [];
  for (let i = 0, at = 0; i < count; i++) {
    const length = size + (i < shorter ? 0 : 1);
    const part = data.slice(at, (at += length));
    parts.push({ data: part, check: remainder(part, by) });
  }
  const woven: number[] = [];
  for (let i = 0; i <= size; i++) for (const part of parts) if (i < part.data.length) woven.push(part.data[i]!);
  for (let i = 0; i < perBlock; i++) for (const part of parts) woven.push(part.check[i]!);
  return woven;
}

const masks: ((x: number, y: number) => boolean)[] = [
  (x, y) => (x + y) % 2 === 0,
  (_, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
];

class Grid {
  readonly dark: boolean[][];
  readonly fixed: boolean[][];
  readonly size: number;

  constructor(readonly version: number) {
    this.size = version * 4 + 17;
    const rows = () => Array.from({ length: this.size }, () => new Array<boolean>(this.size).fill(false));
    this.dark = rows();
    this.fixed = rows();
    this.patterns();
  }

  private set(x: number, y: number, dark: boolean): void {
    if (x < 0 || y < 0 || x >= this.size || y >= this.size) return;
    this.dark[y]![x] = dark;
    this.fixed[y]![x] = true;
  }

  private patterns(): void {
    const { size, version } = this;
    for (let i = 0; i < size; i++) {
      this.set(6, i, i % 2 === 0);
      this.set(i, 6, i % 2 === 0);
    }
    for (const [x, y] of [[3, 3], [size - 4, 3], [3, size - 4]] as const)
      for (let dy = -4; dy <= 4; dy++)
        for (let dx = -4; dx <= 4; dx++) {
          const ring = Math.max(Math.abs(dx), Math.abs(dy));
          this.set(x + dx, y + dy, ring !== 2 && ring !== 4);
        }
    const places = alignments(version);
    const last = places.length - 1;
    places.forEach((x, i) =>
      places.forEach((y, j) => {
        if ((i === 0 && j === 0) || (i === 0 && j === last) || (i === last && j === 0)) return;
        for (let dy = -2; dy <= 2; dy++)
          for (let dx = -2; dx <= 2; dx++) this.set(x + dx, y + dy, Math.max(Math.abs(dx), Math.abs(dy)) !== 1);
      }),
    );
    this.format(0);
    if (version < 7) return;
    let rest = version;
    for (let i = 0; i < 12; i++) rest = (rest << 1) ^ ((rest >>> 11) * 0x1f25);
    const bits = (version << 12) | rest;
    for (let i = 0; i < 18; i++) {
      const [a, b] = [size - 11 + (i % 3), Math.floor(i / 3)];
      this.set(a, b, ((bits >>> i) & 1) === 1);
      this.set(b, a, ((bits >>> i) & 1) === 1);
    }
  }

  // The mask, and error correction M, which is 0.
  format(mask: number): void {
    let rest = mask;
    for (let i = 0; i < 10; i++) rest = (rest << 1) ^ ((rest >>> 9) * 0x537);
    const bits = ((mask << 10) | rest) ^ 0x5412;
    const bit = (i: number) => ((bits >>> i) & 1) === 1;
    const { size } = this;
    for (let i = 0; i <= 5; i++) this.set(8, i, bit(i));
    this.set(8, 7, bit(6));
    this.set(8, 8, bit(7));
    this.set(7, 8, bit(8));
    for (let i = 9; i < 15; i++) this.set(14 - i, 8, bit(i));
    for (let i = 0; i < 8; i++) this.set(size - 1 - i, 8, bit(i));
    for (let i = 8; i < 15; i++) this.set(8, size - 15 + i, bit(i));
    this.set(8, size - 8, true);
  }

  // Up and down in columns of two, from the right.
  fill(words: number[]): void {
    let at = 0;
    for (let right = this.size - 1; right >= 1; right -= 2) {
      if (right === 6) right = 5;
      for (let step = 0; step < this.size; step++)
        for (const x of [right, right - 1]) {
          const y = ((right + 1) & 2) === 0 ? this.size - 1 - step : step;
          if (this.fixed[y]![x] || at >= words.length * 8) continue;
          this.dark[y]![x] = ((words[at >>> 3]! >>> (7 - (at & 7))) & 1) === 1;
          at++;
        }
    }
  }

  mask(which: number): void {
    for (let y = 0; y < this.size; y++)
      for (let x = 0; x < this.size; x++) if (!this.fixed[y]![x] && masks[which]!(x, y)) this.dark[y]![x] = !this.dark[y]![x];
  }

  // The penalty of ISO/IEC 18004: long runs, blocks, finder-like patterns, and unbalanced colours.
  penalty(): number {
    const { size, dark } = this;
    let sum = 0;
    let black = 0;
    for (const across of [true, false])
      for (let i = 0; i < size; i++) {
        let line = "";
        for (let j = 0; j < size; j++) line += (across ? dark[i]![j] : dark[j]![i]) ? "1" : "0";
        for (const [run] of line.matchAll(/0{5,}|1{5,}/g)) sum += run.length - 2;
        sum += 40 * [...`0000${line}0000`.matchAll(/(?=00001011101|10111010000)/g)].length;
      }
    for (let y = 0; y < size; y++)
      for (let x = 0; x < size; x++) {
        const here = dark[y]![x];
        if (here) black++;
        if (x && y && here === dark[y - 1]![x] && here === dark[y]![x - 1] && here === dark[y - 1]![x - 1]) sum += 3;
      }
    return sum + 10 * Math.floor(Math.abs((black * 20) / (size * size) - 10));
  }
}

// The code's rows, true for dark; null if the text is too long.
export function qrCode(text: string): boolean[][] | null {
  const bytes = new TextEncoder().encode(text);
  const version = correction.findIndex((perBlock, i) => {
    const room = Math.floor(rawModules(i + 1) / 8) - perBlock * blocks[i]!;
    return bytes.length + (i < 9 ? 2 : 3) <= room;
  }) + 1;
  if (!version) return null;
  const grid = new Grid(version);
  grid.fill(codewords(bytes, version));
  let best = 0;
  let least = Infinity;
  for (let which = 0; which < masks.length; which++) {
    grid.mask(which);
    grid.format(which);
    const penalty = grid.penalty();
    if (penalty < least) [best, least] = [which, penalty];
    // The same mask again removes it.
    grid.mask(which);
  }
  grid.mask(best);
  grid.format(best);
  return grid.dark;
}
