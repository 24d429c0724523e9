import type { Log } from '../../chain/codec/receipt.ts'
import type { SimulatedOutcome, ValueTransfer } from '../../execution/simulation.ts'
import { bigIntToFixedBytes } from '../../util/bytes.ts'

/** Address in the logs of payments of the native currency (execution-apis, eth_simulateV1). */
const NATIVE_CURRENCY = Buffer.alloc(20, 0xee)
/** Keccak-256 of `Transfer(address,address,uint256)`. */
const TRANSFER = Buffer.from('ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef', 'hex')
const WORD_BYTES = 32
const ADDRESS_PADDING = Buffer.alloc(12)

/** The logs of a call with one more for each payment, where it was made. */
export function logsWithTransfers({ logs, transfers }: Pick<SimulatedOutcome, 'logs' | 'transfers'>): Log[] {
  const all: Log[] = []
  let taken = 0
  for (const transfer of transfers) {
    all.push(...logs.slice(taken, transfer.logsBefore), transferLog(transfer))
    taken = transfer.logsBefore
  }
  return [...all, ...logs.slice(taken)]
}

function transferLog({ from, to, value }: ValueTransfer): Log {
  const word = (address: Buffer) => Buffer.concat([ADDRESS_PADDING, address])
  return {
    address: NATIVE_CURRENCY,
    topics: [TRANSFER, word(from), word(to)],
    data: bigIntToFixedBytes(value, WORD_BYTES),
  }
}
