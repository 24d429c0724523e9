/** @import { Child, Token } from '../types.js' */
import { formatInteger, formatUnits } from '../chain/amounts.js'
import { amount } from './amount.js'
import { el } from './dom.js'
import { said } from './said.js'

const MAX_SYMBOL_CHARACTERS = 24

/**
 * An amount of a token in its own units where it tells them, else in its smallest.
 * @param {bigint} units
 * @param {Token | undefined} token
 * @returns {Child}
 */
export function tokenAmount(units, token) {
  if (token === undefined) return amount(formatInteger(units))
  return [
    el(
      'span',
      { title: `${formatInteger(units)} of the smallest unit` },
      amount(formatUnits(units, token.decimals)),
    ),
    ' ',
    symbolOf(token),
  ]
}

/** The symbol that a token gives itself. @param {Token} token */
export function symbolOf({ symbol }) {
  return said(symbol, MAX_SYMBOL_CHARACTERS)
}
