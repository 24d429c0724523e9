import { type AbiParameter, readType } from './abiType.ts'
import { argumentsIn, selectorIn, selectorOf } from './contractInterface.ts'
import { type DecodedValue, decodeArguments } from './decode.ts'
import { plainText } from './valueText.ts'

/** Address to which contracts send what they log: the console of Hardhat and of Foundry, 20 bytes. */
export const CONSOLE_ADDRESS = '0x000000000000000000636f6e736f6c652e6c6f67'

/** Types that all lists of up to four arguments are made of; the libraries have an overload for each. */
const LISTED = ['uint256', 'string', 'bool', 'address'] as const
const MAX_ARGUMENTS = 4
/** Overloads with a type of its own. */
const SINGLE = ['int256', 'bytes', ...Array.from({ length: 32 }, (_, index) => `bytes${index + 1}`)]
const SIGNED_PAIR = ['string', 'int256']
const SPECIFIER = /%(?:([sdiox])|(\d*)e|%)/g

let parametersBySelector: ReadonlyMap<string, readonly AbiParameter[]> | null = null

/** Everything that the libraries can log, made at the first use. */
function overloads(): ReadonlyMap<string, readonly AbiParameter[]> {
  if (parametersBySelector !== null) return parametersBySelector
  const bySelector = new Map<string, readonly AbiParameter[]>()
  const add = (types: readonly string[]) => {
    const parameters = types.map((name) => {
      const type = readType(name)
      if (type === null) throw new TypeError(`${name} is no type`)
      return { name: '', type }
    })
    bySelector.set(selectorOf(`log(${types.join(',')})`), parameters)
    // Hardhat's library before 2.12 took its selectors of the short names, which are no signatures of the ABI.
    const short = types.map((type) => (type.endsWith('int256') ? type.slice(0, -'256'.length) : type))
    bySelector.set(selectorOf(`log(${short.join(',')})`), parameters)
  }
  let lists: readonly (readonly string[])[] = [[]]
  add([])
  for (let count = 1; count <= MAX_ARGUMENTS; count++) {
    lists = lists.flatMap((list) => LISTED.map((type) => [...list, type]))
    lists.forEach(add)
  }
  for (const type of SINGLE) add([type])
  add(SIGNED_PAIR)
  parametersBySelector = bySelector
  return bySelector
}

/**
 * What a call to the console prints.
 * @param data of the call, with its selector
 * @returns null for what no overload sends
 */
export function consoleText(data: Buffer): string | null {
  const parameters = overloads().get(selectorIn(data) ?? '')
  const values = parameters && decodeArguments(parameters, argumentsIn(data))
  return values ? formatted(values) : null
}

/** Puts arguments in place of the specifiers of the first one, if it is a text that has any, and the rest behind it. */
function formatted(values: readonly DecodedValue[]): string {
  const texts = values.map(plainText)
  const [first = '', ...others] = texts
  if (typeof values[0] !== 'string' || others.length === 0) return texts.join(' ')
  let used = 0
  const text = first.replaceAll(SPECIFIER, (specifier, letter: string | undefined, digits: string) => {
    if (specifier === '%%') return '%'
    if (used === others.length) return specifier
    used += 1
    const value = values[used]
    const plain = others[used - 1] as string
    if (typeof value !== 'bigint') return plain
    if (letter === 'x') return value < 0n ? `-0x${(-value).toString(16)}` : `0x${value.toString(16)}`
    return letter === undefined ? withExponent(value, digits) : plain
  })
  return [text, ...others.slice(used)].join(' ')
}

/**
 * A number as Foundry writes it for `%e`, or for `%18e`, which moves the point by so many digits: 1.5 of 1.5 × 10¹⁸.
 */
function withExponent(value: bigint, digits: string): string {
  const sign = value < 0n ? '-' : ''
  const text = (value < 0n ? -value : value).toString()
  if (digits === '') {
    const significant = text.replace(/0+$/, '') || '0'
    const fraction = significant.slice(1)
    return `${sign}${significant[0]}${fraction === '' ? '' : `.${fraction}`}e${text.length - 1}`
  }
  const decimals = Math.min(Number(digits), 80)
  const padded = text.padStart(decimals + 1, '0')
  const fraction = padded.slice(padded.length - decimals).replace(/0+$/, '')
  const whole = padded.slice(0, padded.length - decimals)
  return `${sign}${whole}${decimals === 0 || fraction === '' ? '' : `.${fraction}`}`
}
