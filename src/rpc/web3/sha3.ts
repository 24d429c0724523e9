import { keccak256 } from '../../native/crypto.ts'
import { toHex } from '../../util/bytes.ts'
import { defineMethod } from '../defineMethod.ts'
import { invalidParams } from '../errors.ts'
import { lenientHex } from '../params/hex.ts'
import type { Param } from '../params/param.ts'

/** DATA that must have its `0x`; unlike the reference also of length zero (rpc.md §8.2). */
const prefixedData: Param<Buffer> = {
  name: 'data',
  schema: { type: 'string', pattern: '^0x[0-9a-fA-F]*$' },
  optional: false,
  parse: (value) => {
    const bytes = typeof value === 'string' && value.startsWith('0x') ? lenientHex(value) : null
    if (bytes === null) {
      throw invalidParams("Parameter must be hexadecimal encoded with the '0x' prefix.")
    }
    return bytes
  },
}

/** Keccak-256 of the given bytes. */
export const sha3 = defineMethod({
  name: 'web3_sha3',
  doc: 'Keccak-256 of the given bytes (not the standardised SHA3-256).',
  params: [prefixedData],
  result: { type: 'string' },
  lane: 'inline',
  cost: 1,
  cache: 'none',
  handler: (_context, [data]) => toHex(keccak256(data)),
})
