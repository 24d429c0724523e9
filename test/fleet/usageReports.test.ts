import t from 'tap'
import type { DayUsage } from '../../src/storage/access/usageRecord.ts'
import { type AccessMember, AccessMembers } from '../support/accessMembers.ts'
import { NATS_SKIP, startNatsServer } from '../support/natsServer.ts'

const DAY = 20_000
const KEY = 'k'

function usage(count: number): DayUsage {
  const fields = { count, cost: count, bytes: 0, errors: 0, refused: 0 }
  return { id: KEY, day: DAY, methods: new Map([['eth_call', fields]]) }
}

async function told(member: AccessMember): Promise<number> {
  const days = await member.toldUsage(KEY, DAY)
  return days.flatMap(({ methods }) => [...methods.values()]).reduce((sum, { count }) => sum + count, 0)
}

t.test(
  'a report of any member is never less than one before it, also right after a start',
  { skip: NATS_SKIP },
  async (t) => {
    const folder = t.testdir({ nats: {}, ada: {}, bob: {}, eve: {} })
    const cluster = await startNatsServer({ folder: `${folder}/nats` })
    const fleet = await AccessMembers.create(cluster)
    t.teardown(async () => {
      await fleet.stop()
      await cluster.kill()
    })
    const ada = await fleet.start(`${folder}/ada`)
    const bob = await fleet.start(`${folder}/bob`)
    let counted = 0
    const count = async (member: AccessMember) => {
      await member.store.addUsage([usage(1)])
      counted += 1
    }
    for (let times = 0; times < 5; times += 1) {
      await count(ada)
      t.equal(await told(ada), counted, 'what this member has on disk is published and told')
      t.equal(await told(bob), counted, 'by the other one as well')
      await count(bob)
      t.equal(await told(ada), counted - 1, 'what nobody was told of is not told by another member')
      t.equal(await told(bob), counted)
    }
    const eve = await fleet.start(`${folder}/eve`)
    t.equal(await told(eve), counted, 'a member without any usage reads all of it first')
    await bob.stop()
    await count(ada)
    t.equal(await told(ada), counted)
    const again = await fleet.start(`${folder}/bob`, bob.id)
    t.equal(await told(again), counted, 'a member that starts again reads what it missed')
    t.equal(await told(eve), counted)
  },
)
