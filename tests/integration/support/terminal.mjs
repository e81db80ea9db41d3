// A command in a terminal of its own: what a person would see of it, and the keys that he would press. Only what this
// program and the shells write is understood, and letters are one column wide.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { patience } from './patience.mjs';

const blank = { letter: ' ', style: '' };
const sequence = /^\x1b(?:\[([?>=]?)([\d;]*)([A-Za-z])|\][^\x07]*?(?:\x07|\x1b\\)|[()][A-Z0-9]|P.*?\x1b\\|[=>78MEc])/;

export class Terminal {
  constructor(context, command, { columns = 100, rows = 24, env = process.env } = {}) {
    Object.assign(this, { columns, rows, raw: '', unread: '', style: '', row: 0, column: 0 });
    this.clear();
    this.child = spawn('python3', [join(import.meta.dirname, 'in_terminal.py'), columns, rows, ...command],
      { stdio: ['pipe', 'pipe', 'inherit'], env: { ...env, TERM: 'xterm-256color' } });
    context.after(() => this.child.kill());
    this.child.stdout.setEncoding('utf8').on('data', (text) => this.take(text));
    this.ended = once(this.child, 'close').then(([status]) => status);
  }

  press(keys) {
    this.child.stdin.write(keys);
  }

  // The lines of the screen, without what is blank at their ends.
  lines() {
    return this.cells.map((row) => row.map(({ letter }) => letter).join('').trimEnd());
  }
  text() {
    return this.lines().join('\n').trimEnd();
  }
  // How a word is shown that is on the screen, "32" for green.
  styleOf(word) {
    for (const [row, line] of this.lines().entries()) {
      const column = line.indexOf(word);
      if (column >= 0) return this.cells[row][column].style;
    }
    return assert.fail(`"${word}" is not on the screen:\n${this.text()}`);
  }

  async until(pattern, patienceMs = patience) {
    for (const end = Date.now() + patienceMs; Date.now() < end; await sleep(10)) {
      const found = pattern.exec(this.text());
      if (found) return found;
    }
    return assert.fail(`the screen does not come to ${pattern}:\n${this.text()}\n${JSON.stringify(this.raw.slice(-2000))}`);
  }

  clear() {
    this.cells = Array.from({ length: this.rows }, () => Array(this.columns).fill(blank));
  }

  take(text) {
    this.raw += text;
    this.unread += text;
    while (this.unread) {
      const found = sequence.exec(this.unread);
      if (!found && this.unread[0] === '\x1b' && this.unread.length < 64) return; // the rest is still to come
      const taken = found ? found[0] : this.unread[0];
      this.unread = this.unread.slice(taken.length);
      if (found) this.obey(found);
      else this.put(taken);
    }
  }

  obey([, mark, numbers, command]) {
    const [first = 0, second = 1] = numbers ? numbers.split(';').map(Number) : [];
    if (mark === '?' && first === 1049) {
      this.clear();
      this.row = this.column = 0;
    }
    if (mark) return;
    if (command === 'm') this.style = numbers === '0' ? '' : (numbers ?? '');
    if (command === 'H') [this.row, this.column] = [Math.max(first, 1) - 1, Math.max(second, 1) - 1];
    if (command === 'C') this.column += Math.max(first, 1);
    if (command === 'D') this.column = Math.max(0, this.column - Math.max(first, 1));
    if (command === 'A') this.row = Math.max(0, this.row - Math.max(first, 1));
    if (command === 'B') this.row += Math.max(first, 1);
    if (command === 'K' || command === 'J') {
      for (let row = this.row; row < (command === 'J' ? this.rows : this.row + 1); ++row)
        this.cells[row].fill(blank, row === this.row ? this.column : 0);
    }
  }

  put(letter) {
    if (letter === '\n' || (letter >= ' ' && this.column >= this.columns)) {
      this.row += 1;
      if (letter !== '\n') this.column = 0;
      if (this.row >= this.rows) {
        this.cells.push(Array(this.columns).fill(blank));
        this.cells.shift();
        this.row = this.rows - 1;
      }
    }
    if (letter === '\r') this.column = 0;
    if (letter === '\b') this.column = Math.max(0, this.column - 1);
    if (letter >= ' ') this.cells[this.row][this.column++] = { letter, style: this.style };
  }
}

const colors = { 1: 'font-weight="bold"', 2: 'opacity="0.6"', 31: 'fill="#f47067"', 32: 'fill="#57ab5a"', 33: 'fill="#daaa3f"' };
// Spaces count, also where they are many.
const escaped = (text) => text.replaceAll(' ', '\u00a0').replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);

// The screen as a picture, with other words for some.
export function pictureOf(terminal, words = {}) {
  const [width, height, margin] = [8.4, 18, 12];
  const say = (text) => Object.entries(words).reduce((said, [from, to]) => said.replaceAll(from, to), text);
  const columns = Math.max(...terminal.lines().map((line) => say(line).length));
  const lines = terminal.cells.map((row, at) => {
    const runs = [];
    for (const [column, { letter, style }] of row.entries()) {
      if (runs.at(-1)?.style === style) runs.at(-1).text += letter;
      else runs.push({ style, text: letter, column });
    }
    return runs.filter(({ text }) => text.trim()).map(({ style, text, column }) =>
      `<text x="${(margin + column * width).toFixed(1)}" y="${margin + at * height + 13}" ${colors[style] ?? ''}>${escaped(say(text).trimEnd())}</text>`).join('\n');
  });
  const size = `width="${Math.ceil(columns * width + 2 * margin)}" height="${terminal.rows * height + 2 * margin}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} font-family="ui-monospace,Menlo,Consolas,monospace" font-size="14" fill="#cdd9e5">
<rect width="100%" height="100%" rx="8" fill="#1c2128"/>
${lines.filter(Boolean).join('\n')}
</svg>
`;
}
