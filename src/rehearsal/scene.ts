import { BitcoinChain } from './bitcoin/bitcoinChain.ts'
import { type Purse, p2pkhOf, p2pkhPurse } from './bitcoin/purse.ts'
import { type KeyPair, keyPairOfSeed } from './keyPair.ts'
import type { Bridge } from './rootstock/bridgeContract.ts'

/** A member of a federation: it signs on Bitcoin with one key and on Rootstock with another. */
export interface Member {
  readonly name: string
  readonly btc: KeyPair
  readonly rsk: KeyPair
  /** For future tasks. */
  readonly mst: KeyPair
}

/** State that the steps of a rehearsal share. */
export interface Scene {
  readonly chain: BitcoinChain
  readonly bridge: Bridge
  /** Receives every subsidy on Bitcoin and pays the users. */
  readonly miner: Purse
  /** Accounts that genesis funds on Rootstock. */
  readonly accounts: readonly [KeyPair, KeyPair]
  /** Receiver on Rootstock of a peg-in with instructions. */
  readonly receiver: Buffer
  /** The members that sign and inform the Bridge of what happens on Bitcoin. */
  members: readonly Member[]
  /** The members that will replace them. */
  successors: readonly Member[]
  /** Block on Rootstock in which they were proposed; null before. */
  proposedAt: number | null
}

/** The state before anything has happened on Bitcoin. */
export function createScene(bridge: Bridge, receiver: Buffer): Scene {
  const minerKey = keyPairOfSeed('rehearsal bitcoin miner')
  const chain = new BitcoinChain(p2pkhOf(minerKey))
  return {
    chain,
    bridge,
    miner: p2pkhPurse(chain, minerKey),
    accounts: [keyPairOfSeed('cow'), keyPairOfSeed('cow1')],
    receiver,
    members: ['federator1', 'federator2', 'federator3'].map((name) => memberOf(name, [name, name, name])),
    successors: ['successor1', 'successor2', 'successor3'].map((name) =>
      memberOf(name, [`${name} btc`, `${name} rsk`, `${name} mst`]),
    ),
    proposedAt: null,
  }
}

/**
 * The member that sends headers to the Bridge and makes it process its queues. @throws RangeError for a federation
 * without members
 */
export function relayerOf({ members: [first] }: Scene): KeyPair {
  if (first === undefined) throw new RangeError('a federation has members')
  return first.rsk
}

function memberOf(name: string, [btc, rsk, mst]: readonly [string, string, string]): Member {
  return { name, btc: keyPairOfSeed(btc), rsk: keyPairOfSeed(rsk), mst: keyPairOfSeed(mst) }
}
