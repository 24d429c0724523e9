import { el } from './dom.js'

/** Longer amounts fit no line of a phone. */
const MAX_LINE_CHARACTERS = 30

/**
 * An amount with its unit. A long one is smaller on a phone, and its lines end behind thousands, not within them.
 * @param {string} text as `formatInteger` and `formatRbtc` give it
 */
export function amount(text) {
  if (text.length <= MAX_LINE_CHARACTERS) return text
  // The unit does not stand alone in a line.
  const groups = text.replace(' ', '\u00a0').split(/(?<=[,.])/)
  return el(
    'span',
    { class: 'amount' },
    ...groups.flatMap((group, index) => (index === 0 ? [group] : [el('wbr'), group])),
  )
}
