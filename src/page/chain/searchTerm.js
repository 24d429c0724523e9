const HASH = /^(0x)?[0-9a-fA-F]{64}$/
const ADDRESS = /^(0x)?[0-9a-fA-F]{40}$/
const QUANTITY = /^0x[0-9a-fA-F]{1,16}$/
const DECIMAL = /^\d{1,3}([,_ ]?\d{3})*$|^\d{1,20}$/

/**
 * What somebody who typed this looks for; null when it can be nothing of a chain. A hash may be of a transaction
 * or of a block.
 * @param {string} term
 * @returns {{ kind: 'number' | 'hash' | 'address', value: string } | null}
 */
export function parseSearchTerm(term) {
  const text = term.trim()
  if (HASH.test(text)) return { kind: 'hash', value: prefixed(text) }
  if (ADDRESS.test(text)) return { kind: 'address', value: prefixed(text) }
  if (DECIMAL.test(text)) return { kind: 'number', value: BigInt(text.replaceAll(/[,_ ]/g, '')).toString() }
  if (QUANTITY.test(text)) return { kind: 'number', value: BigInt(text).toString() }
  return null
}

/** @param {string} text */
function prefixed(text) {
  return (text.startsWith('0x') ? text : `0x${text}`).toLowerCase()
}
