// Elements of the page. What a plugin or a client says becomes text here, and never markup: there is no other way to put
// something into the page, and Trusted Types keep it so.
const svgNamespace = 'http://www.w3.org/2000/svg';

function fill(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (typeof value === 'function') made.addEventListener(name, value);
    else made.setAttribute(name, value === true ? '' : value);
  }
  made.append(...children.flat(2).filter((child) => child !== undefined && child !== null && child !== false));
  return made;
}

// A function among the attributes listens for the event of that name.
export function element(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

export function drawing(name, attributes = {}, ...children) {
  return fill(document.createElementNS(svgNamespace, name), attributes, children);
}

export function button(label, pressed, attributes = {}) {
  return element('button', { type: 'button', click: pressed, ...attributes }, label);
}

// An arrow at what opens. It asks for no attention of those who do not see it, because what it stands at says the same.
export function icon() {
  return drawing('svg', { class: 'icon', viewBox: '0 0 16 16', 'aria-hidden': 'true' }, drawing('path', { d: 'M6 4l4 4-4 4' }));
}

// Changes nothing where nothing has changed, so that a selection in a row that is alive is kept.
export function setText(node, text) {
  const words = String(text);
  if (node.textContent !== words) node.textContent = words;
}

export function replaceChildren(node, ...children) {
  node.replaceChildren(...children.flat(2).filter((child) => child !== undefined && child !== null && child !== false));
}

// A dialog that leaves the page with its view would come back as a part of it.
export function closeDialogs(within) {
  for (const each of within.querySelectorAll('dialog')) each.close();
}

// What is said to those who hear the page.
export function announce(words) {
  setText(document.getElementById('announcement'), words);
}

// A heading with what belongs to it, for the parts of a detail.
export function section(title, ...content) {
  return element('section', { class: 'part' }, element('h3', {}, title), ...content);
}

// Names with values, as a list of both.
export function pairs(entries) {
  return element('dl', { class: 'pairs' }, entries.map(([name, value]) => [element('dt', {}, name), element('dd', {}, value)]));
}
