import type { KV } from '@nats-io/kv'
import { FleetError } from '../errors.ts'
import { compareAndSet } from '../nats/compareAndSet.ts'

const KEY = 'genesis'
const TIMEOUT = 5000

/**
 * The first member of a fleet says which chain it has; others must have the same.
 * @param state bucket `state`
 * @throws FleetError `Differs`
 */
export async function assertSameChain(state: Pick<KV, 'get' | 'put'>, genesis: Buffer): Promise<void> {
  const own = genesis.toString('hex')
  await compareAndSet(state, KEY, own, 0, TIMEOUT)
  const entry = await state.get(KEY)
  const found = entry === null ? '' : Buffer.from(entry.value.subarray(0, 64)).toString('latin1')
  if (found === own) return
  throw new FleetError(
    'Differs',
    `the fleet has another chain: its genesis block is ${found}, that of this data directory ${own}`,
  )
}
