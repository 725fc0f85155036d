// The lines of a plot's axis, from zero up to at least the greatest value.

// The top is the least of 1, 2, 2.5, 5 × 10ⁿ that is not below `most`.
export function ticksOf(most: number): number[] {
  if (most <= 0) return [0, 0.5, 1];
  const unit = 10 ** Math.floor(Math.log10(most));
  const top = [1, 2, 2.5, 5, 10].map((each) => each * unit).find((each) => each >= most)!;
  return [0, top / 2, top];
}

const [minute, hour, day] = [60, 3600, 86_400];
const steps = [
  ...[1, 2, 5, 10, 15, 20, 30],
  ...[1, 2, 5, 10, 15, 20, 30].map((each) => each * minute),
  ...[1, 2, 3, 6, 12].map((each) => each * hour),
  ...[1, 2, 5, 10, 15, 30, 60, 90].map((each) => each * day),
];
const partsMax = 4;

// Whether formatSeconds shows it in whole units.
const isWhole = (seconds: number): boolean => seconds % (seconds < minute ? 1 : seconds < hour ? minute : seconds < day ? hour : day) === 0;

// For times in seconds: lines at round values of their units.
export function ticksOfSeconds(most: number): number[] {
  const ticks = (step: number) => Array.from({ length: Math.max(1, Math.ceil(most / step)) + 1 }, (_, index) => index * step);
  const fitting = steps.filter((step) => most <= step * partsMax).map(ticks);
  return fitting.find((each) => each.every(isWhole)) ?? ticks(Math.ceil(most / partsMax / day) * day);
}
