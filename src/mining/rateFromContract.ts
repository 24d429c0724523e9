import type { BlockHeader } from '../chain/codec/header.ts'
import type { Execution } from '../execution/localExecution.ts'
import { bytesToBigInt } from '../util/bytes.ts'

/** The contract with a rate. */
export interface RateContract {
  /** 20 bytes. */
  readonly address: Buffer
  /** 20 bytes; null is the zero address. */
  readonly caller: Buffer | null
  readonly callData: Buffer
}

/** The result is one word. */
const WORD_BYTES = 32
/** Largest rate that the reference accepts. */
const MAX_RATE = 2n ** 63n - 1n

/**
 * Reads a rate from a contract in the state after a block.
 * @throws Error when the call does not return one number
 */
export function readRateFromContract(
  execution: Execution,
  head: BlockHeader,
  { address, caller, callData }: RateContract,
): bigint {
  const outcome = execution.call(head, {
    from: caller,
    to: address,
    gas: head.gasLimit,
    gasPrice: 0n,
    value: 0n,
    data: callData,
    overrides: [],
  })
  const name = `0x${address.toString('hex')}`
  if (outcome.status !== 'success')
    throw new Error(`the call of ${name} for the rate ended in ${outcome.status}`)
  const rate = bytesToBigInt(outcome.output)
  if (outcome.output.length !== WORD_BYTES || rate > MAX_RATE) {
    throw new Error(`${name} answered 0x${outcome.output.toString('hex')} instead of a rate`)
  }
  return rate
}
