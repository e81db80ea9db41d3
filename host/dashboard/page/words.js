// Numbers, times and sizes as people read them.
export const count = (number) => number.toLocaleString('en');

// Of microseconds.
export function duration(us) {
  if (us < 1000) return `${Math.round(us)} µs`;
  if (us < 1_000_000) return `${(us / 1000).toPrecision(us < 10_000 ? 2 : 3)} ms`;
  if (us < 60_000_000) return `${(us / 1_000_000).toPrecision(3)} s`;
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
  for (const [power, unit] of [[1, 'KiB'], [2, 'MiB'], [3, 'GiB']]) {
    const value = number / 1024 ** power;
    if (value < 1000 || power === 3) return `${value.toPrecision(3)} ${unit}`;
  }
  return '';
}

export function rate(perSecond) {
  return perSecond >= 100 ? count(Math.round(perSecond)) : perSecond.toLocaleString('en', { maximumFractionDigits: 1 });
}

const twoDigits = (number) => String(number).padStart(2, '0');

// Of a time in milliseconds since 1970: on a clock here.
export function clock(ms) {
  const at = new Date(ms);
  return `${twoDigits(at.getHours())}:${twoDigits(at.getMinutes())}:${twoDigits(at.getSeconds())}`;
}

export const fileName = (path) => path.slice(path.lastIndexOf('/') + 1);

export const plural = (number, word) => `${count(number)} ${word}${number === 1 ? '' : 's'}`;
