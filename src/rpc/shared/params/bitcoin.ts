import { invalidParams } from '../../errors.ts'
import type { Param } from './param.ts'

const HEX = /^([0-9a-fA-F]{2})+$/
const COUNT = /^[0-9a-fA-F]{1,8}$/
const HEADER_BYTES = 80
const HASH_BYTES = 32
const SHOWN_CHARACTERS = 66

/** Bytes in hex without `0x`, as Bitcoin tools write them (facts/mining.md §5). */
export function bitcoinBytes(name: string): Param<Buffer> {
  return { name, schema: { type: 'string' }, optional: false, parse: (value) => parseBytes(value, name) }
}

/** An 80-byte Bitcoin header. */
export function bitcoinHeader(name = 'header'): Param<Buffer> {
  return {
    ...bitcoinBytes(name),
    parse: (value) => {
      const header = parseBytes(value, name)
      if (header.length === HEADER_BYTES) return header
      throw invalidParams(`Invalid ${name}: ${HEADER_BYTES} bytes expected, ${header.length} found`)
    },
  }
}

/** Hashes of 32 bytes with white space between. */
export function bitcoinHashes(name: string): Param<readonly Buffer[]> {
  return {
    name,
    schema: { type: 'string' },
    optional: false,
    parse: (value) => {
      if (typeof value !== 'string') throw malformed(name, value)
      return value
        .split(/\s+/)
        .filter((text) => text !== '')
        .map((text) => {
          const hash = parseBytes(text, name)
          if (hash.length !== HASH_BYTES) throw malformed(name, text)
          return hash
        })
    },
  }
}

/** A number in hex without `0x`. */
export function bitcoinCount(name: string): Param<number> {
  return {
    name,
    schema: { type: 'string' },
    optional: false,
    parse: (value) => {
      const text = String(value)
      if (!COUNT.test(text)) throw malformed(name, value)
      return Number.parseInt(text, 16)
    },
  }
}

function parseBytes(value: unknown, name: string): Buffer {
  if (typeof value !== 'string' || !HEX.test(value)) throw malformed(name, value)
  return Buffer.from(value, 'hex')
}

function malformed(name: string, value: unknown) {
  const shown = JSON.stringify(value)?.slice(0, SHOWN_CHARACTERS)
  return invalidParams(`Invalid ${name} ${shown}: hex without 0x expected`)
}
