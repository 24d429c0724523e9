import t from 'tap'
import type { AdmissionState, PoolEntry } from '../../../src/fleet/interface.ts'
import { pack } from '../../../src/fleet/member/messageFields.ts'
import { fetchPool, PoolGiver, type TakenPool } from '../../../src/fleet/member/poolTakeover.ts'

const LEADER = '11'.repeat(8)
/** Longer than one part of an answer has room for. */
const LARGE = 12 * 1024 * 1024
const MINUTE = 60_000

const STATE: AdmissionState = {
  pending: 1,
  time: 1_700_000_000_000,
  outcomes: Buffer.from('outcomes'),
  quotas: Buffer.alloc(0),
}

const entryOf = (encoded: Buffer): PoolEntry => ({ encoded, addedAtBlock: 7, addedAt: 1_700_000_000_001 })

const HEAD = {
  ...{ revision: 41, epoch: 3, leader: LEADER, members: [LEADER, '22'.repeat(8)], signatures: [] },
  ...{ number: 7, hash: Buffer.alloc(32, 7), totalDifficulty: 70n },
}

function poolOf(sequence: number, ...encoded: readonly Buffer[]): TakenPool {
  return { sequence, head: HEAD, entries: encoded.map(entryOf), state: STATE }
}

/** A giver of these pools, one after the other, with a clock. */
function giverOf(pools: TakenPool[]) {
  const clock = { now: 0 }
  const giver = new PoolGiver(
    async () => {
      const [pool] = pools.splice(0, 1)
      if (pool === undefined) throw new Error('it is taken once for each caller')
      return pool
    },
    () => clock.now,
  )
  return { clock, giver }
}

const callsOf = (answer: (payload: Uint8Array) => Promise<Uint8Array>) => ({
  call: async (_member: string, _service: string, payload: Uint8Array) => Buffer.from(await answer(payload)),
})

t.test('a pool goes over in parts, all of one pool, with its head and what decides later', async (t) => {
  const pool = poolOf(99, Buffer.alloc(LARGE, 1), Buffer.alloc(LARGE, 2), Buffer.from('small'))
  const { giver } = giverOf([pool])
  let parts = 0
  const taken = await fetchPool(
    callsOf((payload) => {
      parts += 1
      return giver.answer(payload)
    }),
    LEADER,
  )
  t.same(taken, pool)
  t.equal(parts, Math.ceil((2 * LARGE) / (8 * 1024 * 1024)) + 1)
})

t.test('an empty pool before the first head goes over, too', async (t) => {
  const pool: TakenPool = {
    sequence: 0,
    head: null,
    entries: [],
    state: { ...STATE, pending: 0, time: null },
  }
  const { giver } = giverOf([pool])
  t.same(
    await fetchPool(
      callsOf((payload) => giver.answer(payload)),
      LEADER,
    ),
    pool,
  )
})

t.test(
  'a caller that begins gets the pool of now, and parts of an older one end with an error',
  async (t) => {
    const { giver, clock } = giverOf([
      poolOf(1, Buffer.alloc(LARGE)),
      poolOf(2, Buffer.alloc(LARGE)),
      poolOf(3),
    ])
    const first = await giver.answer(pack(['', 0]))
    let isInterrupted = false
    const interrupted = callsOf(async (payload) => {
      const answer = await giver.answer(payload)
      // Another one begins between two parts.
      if (!isInterrupted) await giver.answer(pack(['', 0]))
      isInterrupted = true
      return answer
    })
    t.ok(first.length > 0)
    await t.rejects(fetchPool(interrupted, LEADER), { code: 'Failed', message: /not kept any more/ })

    clock.now = MINUTE
    const { giver: other, clock: later } = giverOf([poolOf(4, Buffer.alloc(LARGE))])
    const slow = callsOf(async (payload) => {
      const answer = await other.answer(payload)
      later.now += MINUTE + 1
      return answer
    })
    await t.rejects(fetchPool(slow, LEADER), { code: 'Failed', message: /not kept any more/ })
  },
)

t.test('what another member answers is read with bounds', async (t) => {
  const answers: readonly [string, readonly unknown[]][] = [
    ['no part', ['aa', 100]],
    ['it ends before its end', ['aa', 100, Buffer.alloc(0)]],
    ['it is larger than any pool', ['aa', 2 ** 40, Buffer.alloc(1)]],
    ['a token that is none', ['a'.repeat(99), 1, Buffer.alloc(1)]],
    ['it is no pool', ['aa', 1, Buffer.from([0xc0])]],
    ['an entry is none', ['aa', ...whole([5, null, [0, null, Buffer.alloc(0), Buffer.alloc(0)], [[1]]])]],
  ]
  for (const [name, fields] of answers)
    await t.rejects(
      fetchPool(
        callsOf(async () => pack(fields)),
        LEADER,
      ),
      { code: 'Malformed' },
      name,
    )
  const { giver } = giverOf([])
  await t.rejects(giver.answer(Buffer.alloc(65)), { code: 'Malformed' }, 'a long question')
  await t.rejects(giver.answer(pack(['', -1])), { code: 'Malformed' }, 'an offset below zero')
})

/** Length and bytes of a pool in one part. */
function whole(fields: readonly unknown[]): [number, Buffer] {
  const bytes = pack(fields)
  return [bytes.length, bytes]
}
