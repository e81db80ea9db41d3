// Small pictures of numbers. Each says in words what it shows.
import { drawing } from './elements.js';
import { count, duration, rate } from './words.js';

export const sparkPoints = 60;

// A line of the last values, which is kept and drawn anew.
export class Sparkline {
  #line = drawing('polyline');
  #area = drawing('polygon');

  constructor(words) {
    this.words = words;
    this.picture = drawing('svg', { class: 'spark', viewBox: '0 0 60 20', preserveAspectRatio: 'none', role: 'img' });
    this.picture.append(this.#area, this.#line);
    this.draw([]);
  }

  draw(values) {
    const highest = Math.max(1, ...values);
    const left = sparkPoints - values.length;
    const points = values.map((value, i) => `${left + i},${(19 - (value / highest) * 18).toFixed(1)}`);
    this.#line.setAttribute('points', points.join(' '));
    this.#area.setAttribute('points', points.length > 0 ? `${left},20 ${points.join(' ')} ${sparkPoints - 1},20` : '');
    this.picture.setAttribute('aria-label', `${this.words}: ${rate(values.at(-1) ?? 0)} a second, at most ${rate(Math.max(0, ...values))} in the last minute`);
  }
}

// How many answers took how long: counts[i] took less than 8 µs << i, and no less than the one before.
export function histogram(counts) {
  const first = counts.findIndex((each) => each > 0);
  if (first < 0) return null;
  const shown = counts.slice(first);
  const most = Math.max(...shown);
  const width = 22;
  // With room for half a label at each side.
  const picture = drawing('svg', { class: 'histogram', viewBox: `-12 0 ${Math.max(shown.length * width, 220) + 24} 96`, role: 'img' });
  picture.setAttribute('aria-label', `Answer times: ${shown.map((each, i) => `${count(each)} below ${duration(8 * 2 ** (first + i))}`).join(', ')}`);
  for (const [i, each] of shown.entries()) {
    const height = each > 0 ? Math.max(2, (each / most) * 70) : 0;
    const words = `${count(each)} below ${duration(8 * 2 ** (first + i))}`;
    picture.append(drawing('rect', { x: i * width + 2, y: 74 - height, width: width - 4, height, rx: 2 }, drawing('title', {}, words)));
    if (i % 3 === 0) picture.append(drawing('text', { x: (i + 0.5) * width, y: 90, 'text-anchor': 'middle' }, `<${duration(8 * 2 ** (first + i))}`));
  }
  return picture;
}
