import type { BitcoinChain } from '../../../src/rehearsal/bitcoin/bitcoinChain.ts'
import type { TestAccount } from '../../support/signedTransaction.ts'
import type { Counts } from './counts.ts'
import type { ChainDriver } from './driver.ts'

/** How a contract calls the Bridge. */
export type CallKind = 'CALL' | 'CALLCODE' | 'DELEGATECALL' | 'STATICCALL'

/** What the parts of a scenario share. */
export interface World {
  readonly driver: ChainDriver
  readonly bitcoin: BitcoinChain
  /** From 0 to below 1, by the seed. */
  readonly random: () => number
  /** Contracts that forward call data (and value, where it can go along) to the Bridge. */
  readonly proxies: Readonly<Record<CallKind, Buffer>>
  /** Height of the Bitcoin head that the Bridge knew after the last block. */
  fedHeight: number
  /** Texts of the keys of members, by public key in hex. */
  readonly memberSeeds: Map<string, string>
  /** Contract that may change the cap and the permissions of the union bridge. */
  readonly unionAuthoriser: Buffer
  /** Output scripts, in hex, that the Bridge may refund. */
  readonly payers: Set<string>
  readonly counts: Counts
}

/** Key texts of those who have RBTC and ask for peg-outs. */
export const USER_SEEDS: readonly string[] = Array.from({ length: 10 }, (_, index) => `user${index}`)

/** A whole number from 0 to below a bound. */
export function below({ random }: Pick<World, 'random'>, bound: number): number {
  return Math.floor(random() * bound)
}

/** One of several. */
export function oneOf<T>(world: Pick<World, 'random'>, list: readonly T[]): T {
  const chosen = list[below(world, list.length)]
  if (chosen === undefined) throw new RangeError('nothing to choose from')
  return chosen
}

/** Random bytes. */
export function bytes(world: Pick<World, 'random'>, length: number): Buffer {
  return Buffer.from(Array.from({ length }, () => below(world, 256)))
}

/** An account that may do what only members of the active federation may. */
export async function activeMember(world: World): Promise<TestAccount> {
  const { driver } = world
  const member = below(world, Number(await driver.ask('getFederationSize')))
  const key = driver.on('rskip123')
    ? await driver.ask('getFederatorPublicKeyOfType', [member, 'btc'])
    : await driver.ask('getFederatorPublicKey', [member])
  return driver.account(world.memberSeeds.get(String(key).slice(2)) ?? 'federator1')
}
