/** @import { ViewMaker } from '../types.js' */
import { el } from '../ui/dom.js'
import { heading, section } from '../ui/parts.js'

/** The methods that are open, by module. @type {ViewMaker} */
export const methodListView = async ({ methods }) => {
  const modules = methods.byModule()
  const items = modules.flatMap(([, list]) =>
    list.map((method) => {
      const item = el(
        'li',
        {},
        el('a', { href: `#/methods/${encodeURIComponent(method.name)}` }, el('code', {}, method.name)),
        el('span', { class: 'quiet' }, method.description),
      )
      return { name: method.name, text: `${method.name} ${method.description}`.toLowerCase(), item }
    }),
  )
  const byName = new Map(items.map(({ name, item }) => [name, item]))
  const parts = modules.map(([module, list]) => {
    const shown = section(
      module,
      el(
        'ul',
        { class: 'methods' },
        list.map(({ name }) => byName.get(name) ?? null),
      ),
    )
    return { shown, names: new Set(list.map(({ name }) => name)) }
  })
  const count = el('p', { class: 'quiet', role: 'status' }, `${items.length} methods`)
  const filter = el('input', {
    id: 'method-filter',
    type: 'search',
    autocomplete: 'off',
    spellcheck: 'false',
    on: { input: () => narrow() },
  })
  const narrow = () => {
    const term = filter.value.trim().toLowerCase()
    for (const { text, item } of items) item.hidden = !text.includes(term)
    for (const { shown, names } of parts) {
      shown.hidden = ![...names].some((name) => byName.get(name)?.hidden === false)
    }
    const left = items.filter(({ item }) => !item.hidden).length
    count.textContent = `${left} ${left === 1 ? 'method' : 'methods'}`
  }
  return {
    title: 'Methods',
    content: [
      heading('Methods'),
      el('div', { class: 'inline' }, el('label', { for: 'method-filter' }, 'Filter'), filter, count),
      ...parts.map(({ shown }) => shown),
    ],
  }
}
