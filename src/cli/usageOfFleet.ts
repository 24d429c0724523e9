import { randomBytes } from 'node:crypto'
import type { Config } from '../config/schema.ts'
import { KeyBucket } from '../fleet/access/keyBucket.ts'
import { readTimezone } from '../fleet/access/timezone.ts'
import { askUsage, askUsedIds, type SumSource, settleUsage } from '../fleet/access/usageSums.ts'
import { CallRefusal, FleetError } from '../fleet/errors.ts'
import { MemberCalls } from '../fleet/nats/calls.ts'
import { MEMBER_ID } from '../fleet/nats/names.ts'
import { openBucket } from '../fleet/nats/provision.ts'
import { AccessError } from '../storage/access/errors.ts'
import type { DayUsage } from '../storage/access/usageRecord.ts'
import { localDay } from '../util/localDay.ts'
import { type FleetTools, withFleet } from './fleetCommand.ts'
import { asCommand } from './openAccess.ts'

const MEMBER_ID_BYTES = 8

/**
 * Usage of a key, or of all, as the first member that answers knows it for the fleet.
 * @param days up to today
 * @throws CommandError
 */
export function fleetUsage(config: Config, id: string | undefined, days: number): Promise<DayUsage[]> {
  return asCommand(() =>
    withFleet(config, async (tools) => {
      const today = localDay(Date.now(), await readTimezone(await bucketOf(tools, tools.names.state)))
      return askMembers(tools, async (source) => {
        await settleUsage(source)
        const known = await askUsedIds(source)
        if (id !== undefined && !known.includes(id)) await assertKey(tools, id)
        const usage: DayUsage[] = []
        for (const one of id === undefined ? known : [id]) {
          usage.push(...(await askUsage(source, one, today - days + 1, today)))
        }
        return usage
      })
    }),
  )
}

async function askMembers<T>(tools: FleetTools, ask: (source: SumSource) => Promise<T>): Promise<T> {
  const calls = new MemberCalls({
    connection: tools.connection,
    names: tools.names,
    self: randomBytes(MEMBER_ID_BYTES).toString('hex'),
  })
  try {
    let failure: unknown = new FleetError('NoMember', 'no member of the fleet runs')
    for await (const member of await (await bucketOf(tools, tools.names.members)).keys()) {
      if (!MEMBER_ID.test(member)) continue
      const source: SumSource = {
        member,
        calls: {
          call: (to, { service, payload, milliseconds, mostBytes }) =>
            calls.call(to, service, payload, { milliseconds, limit: mostBytes }),
        },
      }
      try {
        return await ask(source)
      } catch (error) {
        if (!(error instanceof FleetError) && !(error instanceof CallRefusal)) throw error
        failure = error
      }
    }
    throw failure instanceof CallRefusal ? new FleetError('NoMember', failure.message) : failure
  } finally {
    calls.close()
  }
}

async function assertKey(tools: FleetTools, id: string): Promise<void> {
  const keys = await new KeyBucket(await bucketOf(tools, tools.names.keys)).keys()
  if (!keys.some((key) => key.id === id)) {
    throw new AccessError('ACCESS_UNKNOWN_KEY', `there is no key ${id} in the fleet: see \`key list\``)
  }
}

function bucketOf({ connection }: FleetTools, name: string): ReturnType<typeof openBucket> {
  return openBucket(connection.nats, name)
}
