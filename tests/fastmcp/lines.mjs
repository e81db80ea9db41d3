// Prints how many lines of code each section of the tutorial takes in either language. The status is 0 if those of C++
// are at most 0.8 of Python's in all. Both are counted as their formatters leave them, at 120 columns.
import { count, languages, readSections } from './sections.mjs';

const most = 0.8;
const rows = readSections().map((section) => [section.name, ...languages.map((each) => count(section[each.name], each))]);
const sum = (column) => rows.reduce((total, row) => total + row[column], 0);
const width = Math.max(...rows.map(([name]) => name.length));
for (const [name, ...counts] of [['', ...languages.map(({ title }) => title)], ...rows, ['in all', sum(1), sum(2)]]) {
  console.log(name.padEnd(width), ...counts.map((each) => String(each).padStart(7)));
}
const ratio = sum(2) / sum(1);
console.log(`C++ takes ${ratio.toFixed(2)} of the lines of Python`);
process.exit(ratio <= most ? 0 : 1);
