import { invalidParams } from '../errors.ts'
import { lenientHex } from './hex.ts'
import { type Param, scalarText } from './param.ts'

/**
 * Hash of a transaction in the debug and trace families: hex of any length, since what is no hash names no
 * transaction (recorded: `0x12` and the empty text answer null).
 */
export function anyTransactionHash(name = 'transactionHash'): Param<Buffer> {
  return {
    name,
    schema: { type: 'string', pattern: '^0x[0-9a-fA-F]{64}$' },
    optional: false,
    parse: (value) => {
      if (value === null) throw invalidParams(`${name} is null`)
      const hash = lenientHex(scalarText(value))
      if (hash === null) throw invalidParams(`Invalid transaction hash format: invalid hex value`)
      return hash
    },
  }
}
