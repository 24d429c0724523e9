/** @import { Child } from '../types.js' */
import { el } from './dom.js'

/**
 * A column of a table.
 * @typedef {object} Column
 * @property {string} title
 * @property {'end' | 'wide' | 'end wide'} [kind] numbers stand at the end; wide columns are left out on narrow screens
 */

/**
 * The heading of a view.
 * @param {string} title
 * @param {...Child} beside
 */
export function heading(title, ...beside) {
  return el('div', { class: 'heading' }, el('h1', { tabindex: -1 }, title), ...beside)
}

/**
 * A part of a view with its own heading.
 * @param {string} title
 * @param {...Child} children
 */
export function section(title, ...children) {
  return el('section', {}, el('h2', {}, title), ...children)
}

/**
 * A table; a sentence in its place when it has no rows.
 * @param {string} caption for people who do not see what stands above it
 * @param {readonly Column[]} columns
 * @param {readonly (readonly Child[])[]} rows
 * @param {string} [empty]
 * @param {{ kind?: 'cards', rowKind?: (index: number) => string | null }} [options] cards stand one below the other on
 *   narrow screens; rows may have a class
 */
export function table(caption, columns, rows, empty = 'None.', { kind, rowKind = () => null } = {}) {
  if (rows.length === 0) return el('p', { class: 'quiet' }, empty)
  return el(
    'table',
    { class: kind },
    el('caption', { class: 'unseen' }, caption),
    el(
      'thead',
      {},
      el('tr', {}, ...columns.map(({ title, kind }) => el('th', { scope: 'col', class: kind }, title))),
    ),
    el(
      'tbody',
      {},
      ...rows.map((cells, row) =>
        el(
          'tr',
          { class: rowKind(row) },
          ...cells.map((cell, index) => el('td', { class: columns[index]?.kind }, cell)),
        ),
      ),
    ),
  )
}

/**
 * Names with their values; those whose value is null are left out.
 * @param {readonly (readonly [name: string, value: Child])[]} entries
 */
export function facts(entries) {
  return el(
    'dl',
    { class: 'facts' },
    ...entries
      .filter(([, value]) => value !== null)
      .map(([name, value]) => el('div', {}, el('dt', {}, name), el('dd', {}, value))),
  )
}

/**
 * What is long and seldom asked for, closed at first.
 * @param {string} title
 * @param {...Child} children
 */
export function folded(title, ...children) {
  return el('details', {}, el('summary', {}, title), ...children)
}

/**
 * Long text in a box that scrolls by itself.
 * @param {string} text
 * @param {string} label
 */
export function longText(text, label) {
  return el('pre', { class: 'long', tabindex: 0, role: 'group', 'aria-label': label }, text)
}

/**
 * A sentence that something went wrong or is not there.
 * @param {string} text
 * @param {...Child} children
 */
export function notice(text, ...children) {
  return el('div', { class: 'notice' }, el('p', {}, text), ...children)
}
