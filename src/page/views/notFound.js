/** @import { ViewMaker } from '../types.js' */
import { visibleText } from '../chain/text.js'
import { el } from '../ui/dom.js'
import { heading, notice } from '../ui/parts.js'

/** What is shown for addresses of the page that name nothing. @type {ViewMaker} */
export const notFoundView = async () => missing('There is no such page')

/** What is shown for a search that found nothing. @type {ViewMaker} */
export const searchView = async (_context, [term = '']) =>
  missing(
    'Nothing found',
    `“${visibleText(term)}” is no block, transaction or address here. A block is found by its number or hash, a transaction by its hash, an account by its address.`,
  )

/**
 * @param {string} title
 * @param {string} [text]
 */
export function missing(title, text = 'The address may be wrong, or of another node.') {
  return {
    title,
    content: [heading(title), notice(text, el('a', { href: '#/' }, 'To the head of the chain'))],
  }
}
