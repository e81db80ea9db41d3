// Numbers, times and sizes as people read them.
export const count = (number) => number.toLocaleString('en');

// Three digits that count; toPrecision alone would have "1.00e+3".
const threeDigits = (value) => (value >= 999.5 ? String(Math.round(value)) : value.toPrecision(3));

// Of microseconds.
export function duration(us) {
  if (us < 1000) return `${Math.round(us)} µs`;
  if (us < 1_000_000) return `${us < 10_000 ? (us / 1000).toPrecision(2) : threeDigits(us / 1000)} ms`;
  if (us < 60_000_000) return `${threeDigits(us / 1_000_000)} s`;
  return span(us / 1_000_000);
}

// Of seconds.
export function span(seconds) {
  const s = Math.floor(seconds);
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min`;
  if (s < 86_400) return `${Math.floor(s / 3600)} h ${Math.floor((s % 3600) / 60)} min`;
  return `${Math.floor(s / 86_400)} d ${Math.floor((s % 86_400) / 3600)} h`;
}

export function bytes(number) {
  if (number < 1024) return `${number} B`;
  for (const [power, unit] of [[1, 'KiB'], [2, 'MiB'], [3, 'GiB'], [4, 'TiB']]) {
    const value = number / 1024 ** power;
    if (value < 1000 || power === 4) return `${threeDigits(value)} ${unit}`;
  }
  return '';
}

export function rate(perSecond) {
  return perSecond >= 100 ? count(Math.round(perSecond)) : perSecond.toLocaleString('en', { maximumFractionDigits: 1 });
}

const twoDigits = (number) => String(number).padStart(2, '0');

// Of a time in milliseconds since 1970: on a clock here, with the date where it is not today.
export function clock(ms) {
  const at = new Date(ms);
  const isToday = at.toDateString() === new Date().toDateString();
  const date = isToday ? '' : `${at.toLocaleDateString('en', { month: 'short', day: 'numeric' })} `;
  return `${date}${twoDigits(at.getHours())}:${twoDigits(at.getMinutes())}:${twoDigits(at.getSeconds())}`;
}

export const fileName = (path) => path.slice(path.lastIndexOf('/') + 1);

export const plural = (number, word) => `${count(number)} ${word}${number === 1 ? '' : 's'}`;
