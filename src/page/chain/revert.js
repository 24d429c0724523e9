import { decodeString, uintAt } from './abi.js'

const ERROR = '0x08c379a0'
const PANIC = '0x4e487b71'

/** Codes of Solidity's panics (Solidity documentation, "Panic via assert and Error via require"). */
const PANICS = new Map([
  [0x01, 'an assertion did not hold'],
  [0x11, 'arithmetic overflow'],
  [0x12, 'division by zero'],
  [0x21, 'a value is none of its enumeration'],
  [0x22, 'a byte array is wrongly encoded'],
  [0x31, 'pop on an empty array'],
  [0x32, 'index out of bounds'],
  [0x41, 'too much memory'],
  [0x51, 'call of an uninitialised function'],
])

/** Whether the data of a revert is of an error that its contract declares. @param {string} data 0x-hex */
export function isCustomError(data) {
  return data.length >= 10 && !data.startsWith(ERROR) && !data.startsWith(PANIC)
}

/**
 * What the data of a revert says, in words; null when there is no data.
 * @param {string} data 0x-hex
 */
export function describeRevert(data) {
  if (data.length < 10) return null
  const selector = data.slice(0, 10)
  const body = `0x${data.slice(10)}`
  if (selector === ERROR) return decodeString(body) ?? 'an Error without readable text'
  if (selector === PANIC) {
    const code = uintAt(body, 0)
    const meaning = code === null || code > 0xffn ? undefined : PANICS.get(Number(code))
    return `Panic 0x${(code ?? 0n).toString(16).padStart(2, '0')}${meaning === undefined ? '' : `: ${meaning}`}`
  }
  return `custom error ${selector}`
}
