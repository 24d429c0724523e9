import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { AccessStore } from '../../src/storage/access/accessStore.ts'
import { LOADER, ROOT } from '../support/sources.ts'

/**
 * Writes of a process before which it is killed: those of joining, counting and going on with the life of its store. `KILL_ALL=1` has all
 * of them.
 */
const KILLS = process.env['KILL_ALL'] === '1' ? [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 13, 18] : [2, 5, 7, 10]

const ROUNDS = 4
const DAY = 5

function requestsOf(store: AccessStore, id: string): number {
  return store.usage(id, DAY, DAY)[0]?.methods.get('eth_call')?.count ?? 0
}

t.test('usage is neither lost nor doubled, before whichever write a member is killed', async (t) => {
  const dataDir = t.testdir({ member: {} })
  const acknowledged = join(dataDir, 'acknowledged')
  const run = (nth: number) =>
    spawnSync(
      process.execPath,
      [
        '--import',
        LOADER,
        join(ROOT, 'test/faults/usageChild.ts'),
        ...[join(dataDir, 'member'), acknowledged, String(nth), String(ROUNDS)],
      ],
      { env: { PATH: process.env['PATH'] }, encoding: 'utf8' },
    )
  for (const nth of KILLS) {
    const { signal, stderr } = run(nth)
    t.equal(signal, 'SIGKILL', `killed before write ${nth} ${stderr}`)
  }
  const { status, stderr } = run(0)
  t.equal(status, 0, stderr)
  const least = readFileSync(acknowledged, 'utf8').split('\n').length - 1
  const member = AccessStore.open({ dataDir: join(dataDir, 'member'), fleet: true })
  t.teardown(() => member.close())
  const counted = requestsOf(member, 'k')
  t.ok(counted >= least, `${counted} of ${least} that were acknowledged`)
  t.ok(counted <= least + KILLS.length, `${counted}: at most one more for each time it was killed`)
  t.equal(requestsOf(member, 'other'), counted, 'rows of one write are there together')
})
