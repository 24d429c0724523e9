import t from 'tap'
import { SETTLE_TIME, UsageSettling } from '../../../src/fleet/access/usageSettling.ts'

/** A member whose stream and store are in the hands of the test; each look at the clock takes a tenth of the time. */
function openMember() {
  const seen: string[] = []
  const state = {
    now: 0,
    last: 7,
    mark: { stream: 'made', position: 7 },
    unsent: [] as boolean[],
    failures: [] as Error[],
    onMark: (): void => undefined,
  }
  const settling = new UsageSettling({
    flow: {
      publish: async () => {
        seen.push('publish')
        const failure = state.failures.shift()
        if (failure !== undefined) throw failure
      },
    },
    store: {
      mark: () => {
        state.onMark()
        seen.push(`read to ${state.mark.position}`)
        const { stream, position } = state.mark
        return { stream, position, storedAt: '', fleet: 'f', member: '', epoch: '', sealed: 0 }
      },
      hasUnsent: () => state.unsent.shift() ?? false,
    },
    manager: {
      streams: {
        info: async () => {
          seen.push(`end at ${state.last}`)
          return { created: 'made', state: { last_seq: state.last } } as never
        },
      },
    },
    stream: 'usage',
    now: () => {
      state.now += SETTLE_TIME / 10
      return state.now
    },
  })
  return { settling, state, seen }
}

t.test('what was counted is published before the end of the stream is asked for, and read', async (t) => {
  const { settling, state, seen } = openMember()
  state.last = 9
  state.onMark = () => {
    state.mark.position += 1
  }
  await settling.settle()
  t.same(seen, ['publish', 'end at 9', 'read to 8', 'read to 9'])
})

t.test('what comes after a question is not part of its answer', async (t) => {
  const { settling, seen } = openMember()
  await Promise.all([settling.settle(), settling.settle(), settling.settle()])
  t.equal(
    seen.filter((step) => step === 'publish').length,
    2,
    'those behind the first one are asked together',
  )
})

t.test('it is tried again while the stream was not looked at, or more is to be published', async (t) => {
  const { settling, state, seen } = openMember()
  state.failures.push(new Error('not looked at yet'))
  state.unsent.push(true, false)
  await settling.settle()
  t.same(seen.slice(0, 1), ['publish'])
  t.same(seen.slice(1), ['publish', 'end at 7', 'read to 7', 'publish', 'end at 7', 'read to 7'])
})

t.test('a member that does not get there tells nothing', async (t) => {
  for (const mark of [
    { stream: 'made', position: 6 },
    { stream: 'another', position: 9 },
  ]) {
    const { settling, state } = openMember()
    state.mark = mark
    await t.rejects(settling.settle(), {
      name: 'CallRefusal',
      kind: 'busy',
      message: /does not have the usage of its fleet yet/,
    })
  }
})
