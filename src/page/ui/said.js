import { visibleText } from '../chain/text.js'
import { el } from './dom.js'

/**
 * What somebody else wrote, apart from the words of the page.
 * @param {string} text
 * @param {number} [longest] characters
 */
export function said(text, longest) {
  return el('bdi', { class: 'said' }, visibleText(text, longest))
}
