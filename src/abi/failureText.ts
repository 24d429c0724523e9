import { bytesToBigInt, toHex } from '../util/bytes.ts'
import { type AbiParameter, readType } from './abiType.ts'
import { type AbiEntry, argumentsIn, entryText, selectorIn } from './contractInterface.ts'
import { decodeArguments } from './decode.ts'

/** Selectors of `Error(string)` and `Panic(uint256)`. */
const ERROR_SELECTOR = '08c379a0'
const PANIC_SELECTOR = '4e487b71'
const WORD = 32

/** The meaning of Solidity's panic codes, in the words of Hardhat, which its users look for. */
const PANICS: ReadonlyMap<bigint, string> = new Map([
  [0x01n, 'Assertion error'],
  [0x11n, 'Arithmetic operation overflowed outside of an unchecked block'],
  [0x12n, 'Division or modulo division by zero'],
  [0x21n, 'Tried to convert a value into an enum, but the value was too big or negative'],
  [0x22n, 'Incorrectly encoded storage byte array'],
  [0x31n, '.pop() was called on an empty array'],
  [0x32n, 'Array accessed at an out-of-bounds or negative index'],
  [0x41n, 'Too much memory was allocated, or an array was created that is too large'],
  [0x51n, 'Called a zero-initialized variable of internal function type'],
])

const TEXT: readonly AbiParameter[] = [{ name: '', type: readType('string') as AbiParameter['type'] }]

/** Finds an error of the contracts that are known, by the 8 hex digits of its selector. */
export type FindError = (selector: string) => AbiEntry | null

/**
 * What the data of a revert say, in Hardhat's words: `reverted with reason string 'x'`.
 * @param find of contracts, for errors of their own
 */
export function revertText(data: Buffer, find: FindError): string {
  if (data.length === 0) return 'reverted without a reason'
  const selector = selectorIn(data)
  if (selector === ERROR_SELECTOR) {
    const [reason] = decodeArguments(TEXT, argumentsIn(data)) ?? []
    if (typeof reason === 'string') return `reverted with reason string '${reason}'`
  }
  if (selector === PANIC_SELECTOR && argumentsIn(data).length === WORD) {
    const code = bytesToBigInt(argumentsIn(data))
    const meaning = PANICS.get(code)
    const shown = `panic code 0x${code.toString(16)}`
    return meaning === undefined ? `reverted with unknown ${shown}` : `reverted with ${shown} (${meaning})`
  }
  const error = selector === null ? null : find(selector)
  if (error !== null) return `reverted with custom error '${entryText(error, data)}'`
  return `reverted with an unrecognized custom error (return data: ${toHex(data)})`
}
