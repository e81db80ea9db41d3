// Prints how many lines of code each section of the tutorial takes in either language, as their formatters leave them at
// 120 columns (Ruff, clang-format). How many they may be scripts/promises.mjs says.
import { count, languages, readSections } from './sections.mjs';

const rows = readSections().map((section) => [section.name, ...languages.map((each) => count(section[each.name], each))]);
const sum = (column) => rows.reduce((total, row) => total + row[column], 0);
const width = Math.max(...rows.map(([name]) => name.length));
for (const [name, ...counts] of [['', ...languages.map(({ title }) => title)], ...rows, ['in all', sum(1), sum(2)]]) {
  console.log(name.padEnd(width), ...counts.map((each) => String(each).padStart(7)));
}
console.log(`C++ takes ${(sum(2) / sum(1)).toFixed(2)} of the lines of Python`);
