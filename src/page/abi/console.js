/** @import { AbiType, AbiValue } from './abi.js' */
import { formatUnits } from '../chain/amounts.js'
import { keccak256 } from '../chain/keccak.js'
import { decodeValues } from './decode.js'
import { typeOf } from './types.js'

/** The address to which contracts send what they log: the console of Hardhat and of Foundry. */
export const CONSOLE = '0x000000000000000000636f6e736f6c652e6c6f67'
/** Types that all lists of up to four arguments are made of. */
const LISTED = ['uint256', 'string', 'bool', 'address']
const MAX_ARGUMENTS = 4
const SINGLE = ['int256', 'bytes', ...Array.from({ length: 32 }, (_, index) => `bytes${index + 1}`)]
const SPECIFIER = /%(?:([sdiox])|(\d*)e|%)/g
const SELECTOR_CHARACTERS = 10
const MAX_DECIMALS = 80

/** @type {ReadonlyMap<string, readonly AbiType[]> | null} */
let typesBySelector = null

/** Everything that the libraries can log, made at the first use. */
function overloads() {
  if (typesBySelector !== null) return typesBySelector
  /** @type {Map<string, readonly AbiType[]>} */
  const bySelector = new Map()
  const add = (/** @type {readonly string[]} */ names) => {
    const types = names.map((type) => typeOf({ name: '', type }))
    const signature = new TextEncoder().encode(`log(${names.join(',')})`)
    bySelector.set(`0x${keccak256(signature).slice(0, SELECTOR_CHARACTERS - 2)}`, types)
  }
  /** @type {readonly (readonly string[])[]} */
  let lists = [[]]
  add([])
  for (let count = 1; count <= MAX_ARGUMENTS; count++) {
    lists = lists.flatMap((list) => LISTED.map((type) => [...list, type]))
    lists.forEach(add)
  }
  for (const type of SINGLE) add([type])
  add(['string', 'int256'])
  typesBySelector = bySelector
  return bySelector
}

/**
 * What a call to the console prints; null for a call of anything else, and for what no overload sends.
 * @param {string | null} to
 * @param {string} input 0x-hex
 */
export function consoleText(to, input) {
  if (to?.toLowerCase() !== CONSOLE) return null
  const types = overloads().get(input.slice(0, SELECTOR_CHARACTERS))
  const values = types && decodeValues(types, `0x${input.slice(SELECTOR_CHARACTERS)}`)
  return values ? formatted(values) : null
}

/** Arguments in place of the specifiers of the first one, the rest behind it. @param {readonly AbiValue[]} values */
function formatted(values) {
  const [first = '', ...others] = values.map(String)
  if (typeof values[0] !== 'string') return [first, ...others].join(' ')
  let used = 0
  const text = first.replaceAll(SPECIFIER, (specifier, letter, digits) => {
    if (specifier === '%%' && others.length > 0) return '%'
    const plain = others[used]
    if (plain === undefined) return specifier
    used += 1
    const value = values[used]
    if (typeof value !== 'bigint') return plain
    if (letter === 'x') return value < 0n ? `-0x${(-value).toString(16)}` : `0x${value.toString(16)}`
    return letter === undefined ? withExponent(value, digits) : plain
  })
  return [text, ...others.slice(used)].join(' ')
}

/** A number as Foundry writes it for `%e`, or for `%18e`, which moves the point. @param {bigint} value @param {string} digits */
function withExponent(value, digits) {
  if (digits !== '') return formatUnits(value, Math.min(Number(digits), MAX_DECIMALS)).replaceAll(',', '')
  const text = (value < 0n ? -value : value).toString()
  const [head, ...fraction] = text.replace(/0+$/, '') || '0'
  return `${value < 0n ? '-' : ''}${head}${fraction.length === 0 ? '' : '.'}${fraction.join('')}e${text.length - 1}`
}
