import t from 'tap'
import { vectorPath } from '../../support/vectors.ts'
import { type RecordingPaths, replayRecording } from '../recording.ts'

const rpc = (name: string) => vectorPath(`rpc/${name}.jsonl`)

const RECORDINGS: readonly (RecordingPaths & {
  readonly name: string
  readonly equal: number
  readonly notifications: number
})[] = [
  { name: 'main', chainPath: rpc('chain-main'), rpcPath: rpc('rpc-main'), equal: 1580, notifications: 141 },
  { name: 'extra', chainPath: null, rpcPath: rpc('rpc-extra'), equal: 45, notifications: 5 },
  { name: 'extra2', chainPath: null, rpcPath: rpc('rpc-extra2'), equal: 45, notifications: 0 },
]

for (const { name, equal, notifications, ...paths } of RECORDINGS) {
  t.test(`the whole recording ${name}: reads at their heads, everything else in order`, async (t) => {
    const unexpected: string[] = []
    const { methods, unlisted } = await replayRecording(paths, (method, error) => {
      unexpected.push(`${method}: ${error instanceof Error ? error.stack : String(error)}`)
    })
    t.same(
      unlisted.map(({ exchange, verdict }) => ({ step: exchange.step, note: exchange.note, verdict })),
      [],
    )
    t.same(unexpected, [])
    const sum = (of: 'equal' | 'listed' | 'skipped') =>
      [...methods.values()].reduce((total, tally) => total + tally[of], 0)
    t.comment(
      `${sum('equal')} equal, ${sum('listed')} with a listed difference, ${sum('skipped')} not replayed`,
    )
    t.ok(sum('equal') >= equal)
    const told = methods.get('eth_subscription')
    t.equal((told?.equal ?? 0) + (told?.listed ?? 0), notifications)
  })
}
