// Drawing: a chart becomes an SVG element of a given size. Colours of the series are those of the pictures.
const palette = [
  '#4477aa', '#ee6677', '#228833', '#ccbb44', '#66ccee', '#aa3377', '#ee8866', '#44bb99', '#7a7a7a', '#994f00',
];
const colorOf = (i) => palette[i % palette.length];
function isLight(color) {
  const [red, green, blue] = color.match(/[0-9a-f]{2}/g).map((part) => Number.parseInt(part, 16));
  return 0.299 * red + 0.587 * green + 0.114 * blue > 140;
}

const formatted = (value, options) => new Intl.NumberFormat(undefined, options).format(value);
// Six digits, but what is before the point is whole.
function numberText(value) {
  return formatted(value, Math.abs(value) >= 1e6 ? { maximumFractionDigits: 0 } : { maximumSignificantDigits: 6 });
}

// Of a scale {low, high, step}: with as many digits as tell a tick from its neighbours.
function tickText(tick, { low, high, step }) {
  const exponent = (value) => Math.floor(Math.log10(value) + 1e-9);
  const places = Math.max(0, -exponent(step));
  if (places <= 12) return formatted(tick, { minimumFractionDigits: places, maximumFractionDigits: places });
  const digits = exponent(Math.max(Math.abs(low), Math.abs(high))) + places + 1;
  return formatted(tick, { maximumSignificantDigits: Math.min(Math.max(digits, 1), 17) });
}

function element(name, attributes = {}, text = undefined) {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

// A mark that says its value when it is pointed at.
function mark(name, attributes, label, value) {
  const made = element(name, attributes);
  made.append(element('title', {}, `${label}: ${numberText(value)}`));
  return made;
}

const ruler = document.createElement('canvas').getContext('2d');
function textWidth(text, size) {
  ruler.font = `${size}px ${getComputedStyle(document.body).fontFamily}`;
  return ruler.measureText(text).width;
}

function fitting(text, width, size) {
  if (textWidth(text, size) <= width) return text;
  const characters = [...text];
  while (characters.length > 0 && textWidth(`${characters.join('')}…`, size) > width) characters.pop();
  return characters.length > 0 ? `${characters.join('')}…` : '';
}

// The steps between them would underflow or be lost in rounding.
function areAsGoodAsEqual(low, high) {
  return high - low < Math.max(1e-300, 1e-13 * Math.max(Math.abs(low), Math.abs(high)));
}

// Round numbers that cover the values: {low, high, step}.
function scaleOf(values, fromZero, mostSteps) {
  let low = Math.min(...values, ...(fromZero ? [0] : []));
  let high = Math.max(...values, ...(fromZero ? [0] : []));
  if (areAsGoodAsEqual(low, high)) {
    const room = areAsGoodAsEqual(0, Math.abs(high)) ? 1 : Math.abs(high) * 0.1;
    if (!fromZero) low -= room;
    high += room;
  }
  const power = 10 ** Math.floor(Math.log10((high - low) / mostSteps));
  const steps = (step) => Math.ceil(high / step) - Math.floor(low / step);
  const step = [1, 2, 5, 10, 20].map((factor) => factor * power).find((each) => steps(each) <= mostSteps) ?? 50 * power;
  return { low: Math.floor(low / step) * step, high: Math.ceil(high / step) * step, step };
}

function drawTitle(svg, chart, room) {
  if (!chart.title) return;
  const text = fitting(chart.title, room.right - room.left, 18);
  const x = (room.left + room.right) / 2;
  svg.append(element('text', { class: 'title', x, y: room.top + 18, 'text-anchor': 'middle' }, text));
  room.top += 34;
}

// One entry after another, in as many lines as it takes but no more than a third of the room: {x, y, end, name}.
function legendOf(names, room) {
  const limit = room.top + (room.bottom - room.top) / 3;
  const entries = [];
  let x = room.left;
  let y = room.top;
  for (const each of names) {
    const name = fitting(each, room.right - room.left - 24, 12);
    const width = 18 + textWidth(name, 12);
    if (x > room.left && x + width > room.right) [x, y] = [room.left, y + 20];
    if (y + 20 > limit) break;
    entries.push({ x, y, end: x + width, name });
    x += width + 16;
  }
  return entries;
}

// How many names are left out. Where the last line has no room for it, the last name gives way; one that has a line for
// itself becomes shorter.
function moreOf(entries, names, room) {
  for (;;) {
    const text = `+${names.length - entries.length}`;
    const width = 16 + textWidth(text, 12);
    const last = entries.at(-1);
    if (last.end + width > room.right && last.x > room.left) {
      entries.pop();
      continue;
    }
    if (last.end + width > room.right) {
      last.name = fitting(names[entries.length - 1], room.right - room.left - 24 - width, 12);
      last.end = last.x + 18 + textWidth(last.name, 12);
    }
    return { text, x: last.end + 16, y: last.y };
  }
}

function drawLegend(svg, names, room) {
  const entries = legendOf(names, room);
  if (entries.length === 0) return;
  const more = entries.length < names.length ? moreOf(entries, names, room) : undefined;
  for (const [i, { x, y, name }] of entries.entries()) {
    svg.append(element('rect', { x, y: y + 2, width: 11, height: 11, fill: colorOf(i) }));
    svg.append(element('text', { class: 'legend', x: x + 16, y: y + 12 }, name));
  }
  if (more) svg.append(element('text', { class: 'legend', x: more.x, y: more.y + 12 }, more.text));
  room.top = entries.at(-1).y + 28;
}

// Where things lie in a chart of bars or lines.
class Axes {
  constructor(chart, room) {
    const values = chart.series.flatMap((series) => series.values);
    const mostSteps = Math.min(10, Math.max(2, Math.floor((room.bottom - room.top) / 45)));
    // The length of a bar means its value only from 0 on.
    this.scale = scaleOf(values, chart.kind === 'bar', mostSteps);
    const widest = Math.max(...this.ticks().map((tick) => textWidth(tickText(tick, this.scale), 12)));
    this.plot = { ...room, left: room.left + widest + 6, top: room.top + 6, bottom: room.bottom - 18 };
    this.slot = (this.plot.right - this.plot.left) / chart.labels.length;
  }

  ticks() {
    const { low, high, step } = this.scale;
    const count = Math.round((high - low) / step);
    return Array.from({ length: count + 1 }, (_, i) => (Math.round(low / step) + i) * step);
  }

  x(label) {
    return this.plot.left + (label + 0.5) * this.slot;
  }

  y(value) {
    const { low, high } = this.scale;
    return this.plot.bottom - ((value - low) / (high - low)) * (this.plot.bottom - this.plot.top);
  }

  draw(svg, labels) {
    const { left, right, bottom } = this.plot;
    for (const tick of this.ticks()) {
      const y = this.y(tick);
      svg.append(element('line', { class: tick === 0 ? 'axis' : 'grid', x1: left, x2: right, y1: y, y2: y }));
      const text = tickText(tick, this.scale);
      svg.append(element('text', { class: 'tick', x: left - 6, y: y + 4, 'text-anchor': 'end' }, text));
    }
    const every = Math.max(1, Math.ceil(45 / this.slot));
    for (let i = 0; i < labels.length; i += every) {
      const text = fitting(labels[i], every * this.slot - 6, 12);
      svg.append(element('text', { class: 'label', x: this.x(i), y: bottom + 15, 'text-anchor': 'middle' }, text));
    }
  }
}

function seriesName(chart, i) {
  return chart.series[i].name ?? `Series ${i + 1}`;
}

// Each value with what is needed to draw it.
function* marksOf(chart) {
  for (const [s, { values, name }] of chart.series.entries()) {
    for (const [i, value] of values.entries()) {
      const what = chart.series.length > 1 || name ? `${seriesName(chart, s)}, ${chart.labels[i]}` : chart.labels[i];
      yield { s, i, value, what };
    }
  }
}

function drawBars(svg, chart, axes) {
  const width = (axes.slot * 0.8) / chart.series.length;
  for (const { s, i, value, what } of marksOf(chart)) {
    const x = axes.x(i) - axes.slot * 0.4 + s * width;
    const [top, bottom] = [axes.y(Math.max(value, 0)), axes.y(Math.min(value, 0))];
    svg.append(mark('rect', { class: 'bar', x, y: top, width, height: bottom - top, fill: colorOf(s) }, what, value));
  }
}

function drawLines(svg, chart, axes) {
  for (const [s, { values }] of chart.series.entries()) {
    const points = values.map((value, i) => `${axes.x(i)},${axes.y(value)}`).join(' ');
    svg.append(element('polyline', { points, fill: 'none', stroke: colorOf(s), 'stroke-width': 2.5 }));
  }
  for (const { s, i, value, what } of marksOf(chart)) {
    svg.append(mark('circle', { cx: axes.x(i), cy: axes.y(value), r: 3.5, fill: colorOf(s) }, what, value));
  }
}

function drawPie(svg, chart, room) {
  const { values } = chart.series[0];
  const sum = values.reduce((a, b) => a + b, 0);
  const [cx, cy] = [(room.left + room.right) / 2, (room.top + room.bottom) / 2];
  const r = Math.max(1, Math.min(room.right - room.left, room.bottom - room.top) / 2);
  const at = (turn, radius) => [cx + radius * Math.sin(turn * 2 * Math.PI), cy - radius * Math.cos(turn * 2 * Math.PI)];
  let from = 0;
  for (const { i, value, what } of marksOf(chart)) {
    const part = value / sum;
    if (part === 0) continue;
    // A whole disc is no arc.
    const to = from + Math.min(part, 0.99999);
    const arc = `M${cx},${cy} L${at(from, r)} A${r},${r} 0 ${part > 0.5 ? 1 : 0} 1 ${at(to, r)} Z`;
    svg.append(mark('path', { class: 'wedge', d: arc, fill: colorOf(i) }, what, value));
    const percent = `${numberText(Math.round(part * 1000) / 10)}%`;
    const [x, y] = at(from + part / 2, r * 0.7);
    const style = isLight(colorOf(i)) ? 'part on-light' : 'part';
    if (part >= 0.05) svg.append(element('text', { class: style, x, y: y + 4, 'text-anchor': 'middle' }, percent));
    from += part;
  }
}

function chartDrawing(chart, width, height) {
  const svg = element('svg', { width, height, viewBox: `0 0 ${width} ${height}`, role: 'img' });
  svg.setAttribute('aria-label', chart.title || `${chart.kind} chart`);
  const room = { left: 0, top: 0, right: width, bottom: height };
  drawTitle(svg, chart, room);
  if (chart.kind === 'pie') {
    drawLegend(svg, chart.labels, room);
    drawPie(svg, chart, room);
    return svg;
  }
  const isNamed = chart.series.length > 1 || chart.series[0].name;
  if (isNamed) drawLegend(svg, chart.series.map((_, i) => seriesName(chart, i)), room);
  const axes = new Axes(chart, room);
  axes.draw(svg, chart.labels);
  if (chart.kind === 'bar') drawBars(svg, chart, axes);
  else drawLines(svg, chart, axes);
  return svg;
}

// Whether it is all there; while a model still writes, some of it may not be.
function isDrawable(chart) {
  const { kind, labels, series } = chart ?? {};
  if (!['bar', 'line', 'pie'].includes(kind) || !(labels?.length > 0) || !(series?.length > 0)) return false;
  const isComplete = ({ values }) => values?.length === labels.length && values.every(Number.isFinite);
  return series.every(isComplete) && (kind !== 'pie' || series[0].values.some((value) => value > 0));
}
