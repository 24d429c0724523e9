import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Blockchain } from '../../chain/blockchain.ts'
import { impersonatedSender } from '../../chain/codec/impersonated.ts'
import { assertExportable, ExportError } from '../../chain/exportBlocks.ts'
import { isDevelopmentNetwork } from '../../config/networkSpec.ts'
import { isKnownSigned, recordSigned } from '../../storage/signedChain.ts'
import type { ChainCore } from './chainCore.ts'

/** Milliseconds for which blocks are read before others get their turn of the thread. */
const TURN_MILLISECONDS = 20

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
  try {
    await assertAllExportable(chain)
  } catch (error) {
    if (error instanceof ExportError) return error.message
    throw error
  }
  environment.transaction(recordSigned)
  return null
}

/** @throws ExportError for a block on any branch that no other node would accept */
async function assertAllExportable({ reader, head }: Blockchain): Promise<void> {
  let turnEnd = performance.now() + TURN_MILLISECONDS
  for (let number = Math.max(1, reader.history().firstBlock); ; number += 1) {
    const blocks = reader.blocksAt(number).map(({ hash }) => reader.blockOf({ number, hash }))
    if (blocks.length === 0 && number > head.number) return
    for (const block of blocks) if (block !== null) assertExportable(reader, block)
    if (performance.now() < turnEnd) continue
    await nextTurn()
    turnEnd = performance.now() + TURN_MILLISECONDS
  }
}
