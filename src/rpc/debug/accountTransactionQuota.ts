import { defineMethod } from '../defineMethod.ts'
import { invalidParams } from '../errors.ts'
import { lenientHex } from '../params/hex.ts'
import { type Param, scalarText } from '../params/param.ts'

const ADDRESS_BYTES = 20

/** Virtual gas that an account may still send transactions for; null when it sent none (rpc.md §3.13). */
export const accountTransactionQuota = defineMethod({
  name: 'debug_accountTransactionQuota',
  doc: 'Virtual gas that an account may still send transactions for.',
  params: [plainAddress()],
  result: { title: 'quota or null' },
  lane: 'read',
  cost: 1,
  cache: 'none',
  handler: async ({ pool }, [account]) => {
    const balance = await pool.quota(account)
    return balance === null ? null : { timestamp: balance.at, availableVirtualGas: balance.available }
  },
})

/** An address with the reference's words for one of another length. */
function plainAddress(): Param<Buffer> {
  return {
    name: 'address',
    schema: { type: 'string', pattern: '^0x[0-9a-fA-F]{40}$' },
    optional: false,
    parse: (value) => {
      if (value === null) throw invalidParams('address is null')
      const bytes = lenientHex(scalarText(value))
      if (bytes === null) throw invalidParams('Invalid address format: invalid hex value.')
      if (bytes.length === ADDRESS_BYTES) return bytes
      throw invalidParams(
        `invalid argument 0: hex string has length ${bytes.length * 2}, want 40 for RSK address`,
      )
    },
  }
}
