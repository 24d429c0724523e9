import type { KV } from '@nats-io/kv'
import { FleetError, toFleetError } from '../errors.ts'
import { compareAndSet } from '../nats/compareAndSet.ts'
import { parseObject } from '../parseObject.ts'

const KEY = 'pool'
const LARGEST_RECORD = 1024
const TIMEOUT = 5000

/** Options by which pools admit and drop transactions, by their names on the command line without dashes in front. */
export type FleetPoolOptions = Readonly<Record<string, number | boolean>>

/**
 * The first member of a fleet says by which options its pool admits transactions; others must have the same, as their
 * pools would differ otherwise (fleet.md §4).
 * @param state bucket `state`
 * @throws FleetError `Differs`
 */
export async function assertSamePool(
  state: Pick<KV, 'get' | 'put'>,
  options: FleetPoolOptions,
): Promise<void> {
  try {
    if ((await compareAndSet(state, KEY, JSON.stringify(options), 0, TIMEOUT)) !== null) return
    const entry = await state.get(KEY)
    const found = (entry && parseObject(entry.value, LARGEST_RECORD)) ?? {}
    const differing = Object.entries(options).filter(([name, value]) => found[name] !== value)
    if (differing.length === 0) return
    const text = differing
      .map(([name, value]) => `--${name} is ${String(found[name]).slice(0, 32)} there and ${value} here`)
      .join(', ')
    throw new FleetError(
      'Differs',
      `the pools of the fleet are under other options: ${text}: give all members the same`,
    )
  } catch (error) {
    throw toFleetError(error, 'the options of the pools of the fleet cannot be read')
  }
}
