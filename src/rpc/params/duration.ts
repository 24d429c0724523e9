import { invalidParams } from '../errors.ts'
import { type Param, scalarText } from './param.ts'

const MAX_CHARACTERS = 66
const HEX = /^0x[0-9a-f]*$/
const MAX_MILLISECONDS = 0x7fff_ffff_ffff_ffffn

const MILLISECONDS = 1000

/**
 * Milliseconds. As text they are `0x` and lower-case hex digits; null and the empty text give the fallback (rpc.md
 * §2). A number, which the reference refuses, is seconds, as in geth, whose clients send it; 0 has no end.
 */
export function duration(name: string, fallback: number): Param<number> {
  return {
    name,
    schema: {
      oneOf: [
        { type: 'string', pattern: '^(0x[0-9a-f]{1,16})?$' },
        { type: 'integer', minimum: 0 },
        { type: 'null' },
      ],
    },
    optional: false,
    parse: (value) => {
      if (value === null) return fallback
      if (typeof value === 'number') return parseSeconds(value)
      const text = scalarText(value)
      return text === '' ? fallback : parseDuration(text)
    },
  }
}

function parseSeconds(value: number): number {
  if (!Number.isSafeInteger(value) || value < 0) {
    throw invalidParams('Invalid duration param: a number must be whole seconds from zero up.')
  }
  return value === 0 ? Number.POSITIVE_INFINITY : value * MILLISECONDS
}

function parseDuration(text: string): number {
  if (text.length > MAX_CHARACTERS) {
    throw invalidParams(`Invalid argument: ${text.slice(0, MAX_CHARACTERS)}...`)
  }
  if (!HEX.test(text)) {
    throw invalidParams(`Invalid argument "${text}": param should be a hex value string.`)
  }
  const value = text === '0x' ? null : BigInt(text)
  if (value === null || value > MAX_MILLISECONDS) {
    throw invalidParams('Invalid duration param: value must be a valid hex number.')
  }
  return Number(value)
}
