import { Transaction } from '../../chain/codec/transaction.ts'
import type { SimulatedCall, SimulatedOutcome } from '../../execution/simulation.ts'
import { bigIntToBytes, EMPTY_BYTES } from '../../util/bytes.ts'

/**
 * A simulated call as a transaction, with the nonce and the gas that it had. It has no signature: its hash is the one
 * that its sender would sign (EIP-155), so equal calls of different senders share it.
 */
export function unsignedTransaction(
  { to, gas, gasPrice, value, data }: SimulatedCall,
  outcome: Pick<SimulatedOutcome, 'nonce' | 'gas'> | undefined,
  chainId: number,
): Transaction {
  return new Transaction({
    nonceBytes: bigIntToBytes(outcome?.nonce ?? 0n),
    // As signers write it.
    gasPrice: gasPrice === 0n ? null : gasPrice,
    gasLimitBytes: bigIntToBytes(outcome?.gas ?? gas),
    to: to ?? EMPTY_BYTES,
    value,
    data,
    chainId,
    signature: null,
  })
}
