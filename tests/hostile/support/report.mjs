// What a script is told, and what it says at the end.
import { parseArgs } from 'node:util';

// BUILD_DIR and numbers with their defaults: { deaths: 100 } for --deaths N.
export function readArguments(defaults) {
  const options = Object.fromEntries(Object.keys(defaults).map((name) => [name, { type: 'string' }]));
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const numbers = Object.entries({ ...defaults, ...values }).map(([name, value]) => [name, Number(value)]);
  if (positionals.length !== 1 || numbers.some(([, value]) => Number.isNaN(value))) {
    const usage = Object.keys(defaults).map((name) => `[--${name} N]`);
    console.error(`usage: ${process.argv[1]} BUILD_DIR ${usage.join(' ')}`);
    process.exit(2);
  }
  return { build: positionals[0], ...Object.fromEntries(numbers) };
}

export function percentile(values, share) {
  if (values.length === 0) return NaN;
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

export const ms = (value) => `${value.toFixed(value < 10 ? 2 : 0)} ms`;
const ratio = (times, others, share) => (percentile(times, share) / percentile(others, share)).toFixed(2);
export const ratios = (times, others) => `${ratio(times, others, 0.5)} / ${ratio(times, others, 0.99)}`;
export const p50AndP99 = (times) => `${ms(percentile(times, 0.5))} / ${ms(percentile(times, 0.99))}`;

// Of a histogram of nanoseconds, for more times than should be kept.
const nanoseconds = (histogram, share) => histogram.percentile(100 * share) / 1e6;
export const p50AndP99Of = (histogram) => `${ms(nanoseconds(histogram, 0.5))} / ${ms(nanoseconds(histogram, 0.99))}`;
export const ratioOf = (histogram, other, share) => nanoseconds(histogram, share) / nanoseconds(other, share);

// A short table, and the promises that were broken.
export class Report {
  #rows = [];
  #broken = [];

  row(what, figures) {
    this.#rows.push([what, String(figures)]);
  }

  // A row that must hold.
  promise(what, figures, isKept) {
    this.row(what, figures);
    if (!isKept) this.#broken.push(`${what}: ${figures}`);
  }

  // Prints it; what the process is to end with.
  end() {
    const width = Math.max(...this.#rows.map(([what]) => what.length));
    for (const [what, figures] of this.#rows) console.log(`${what.padEnd(width)}  ${figures}`);
    for (const broken of this.#broken) console.error(`BROKEN: ${broken}`);
    return this.#broken.length === 0 ? 0 : 1;
  }
}
