import { setImmediate as nextTurn } from 'node:timers/promises'
import { impersonatedSender } from '../../chain/codec/impersonated.ts'
import { assertExportable, ExportError } from '../../chain/exportBlocks.ts'
import { isDevelopmentNetwork } from '../../config/networkSpec.ts'
import { isKnownSigned, recordSigned } from '../../storage/signedChain.ts'
import type { ChainCore } from './chainCore.ts'

/** Milliseconds for which blocks are read before others get their turn of the thread. */
const TURN = 20

/**
 * Why the chain of a node may not be one of a fleet, whose members would refuse its blocks: users edited states, or sent
 * transactions that nobody signed. Only a development chain has to be looked through for them, and only once: the store
 * records that all is signed, and takes that back with the first block that is not.
 * @returns a sentence; null when it may
 */
export async function whyNotInFleet({ spec, open, pool }: ChainCore): Promise<string | null> {
  const { environment, chain } = open
  if (environment.count('stateEdits') > 0) return 'states of this chain were edited by hand'
  if (!isDevelopmentNetwork(spec)) return null
  for (const { transaction } of [...pool.pending(), ...pool.queued()]) {
    if (impersonatedSender(transaction) !== null)
      return 'the pool holds a transaction of an impersonated account'
  }
  if (isKnownSigned(environment)) return null
  const { reader } = chain
  let turnEnd = performance.now() + TURN
  for (let number = Math.max(1, reader.history().firstBlock); ; number += 1) {
    const hashes = reader.blocksAt(number)
    if (hashes.length === 0 && number > chain.head.number) {
      environment.transaction(recordSigned)
      return null
    }
    for (const { hash } of hashes) {
      const block = reader.blockOf({ number, hash })
      try {
        if (block !== null) assertExportable(reader, block)
      } catch (error) {
        if (error instanceof ExportError) return error.message
        throw error
      }
    }
    if (performance.now() < turnEnd) continue
    await nextTurn()
    turnEnd = performance.now() + TURN
  }
}
