import { cpSync, rmSync } from 'node:fs'
import t, { type Test } from 'tap'
import { runInProcess } from '../support/program.ts'
import { testFolder } from '../support/testFolder.ts'
import { ACTIONS, type ActionName, control, edit, openPatient, type Shown, show } from './betweenActions.ts'
import { killBetween } from './killBetween.ts'

/** Behind the height from which on headers of regtest carry 12 bytes of fork detection data. */
const HEIGHT = 452

/** A chain behind that height that was edited, rewound and edited again. */
async function makeChain(dataDir: string): Promise<Shown> {
  const node = openPatient(dataDir)
  const { core } = node
  await core.mine({ count: HEIGHT })
  await edit(core, 7n)
  const snapshot = control(core).snapshot()
  await core.mine({ count: 2 })
  await control(core).revert(BigInt(snapshot))
  await core.mine()
  await edit(core, 1n)
  const shown = show(core)
  await node.close()
  return shown
}

async function assertWhole(t: Test, dataDir: string, expected: Shown): Promise<void> {
  const check = await runInProcess(['check', '--data-dir', dataDir])
  t.equal(check.code, 0, check.stdout + check.stderr)
  const node = openPatient(dataDir)
  const { core } = node
  t.same(show(core), expected)
  // What is undone by now must not come back.
  const snapshot = control(core).snapshot()
  await edit(core, 9n)
  await core.mine()
  t.match(show(core), { height: expected.height + 1, balance: 9n })
  t.equal(await control(core).revert(BigInt(snapshot)), true)
  t.same(show(core), expected)
  await node.close()
  const again = openPatient(dataDir)
  t.same(show(again.core), expected)
  await again.close()
}

// Fourteen processes, on a machine that may be busy.
t.setTimeout(600_000)

t.test(
  'a node that is killed between the commits of both stores did all of it or nothing',
  { timeout: 600_000 },
  async (t) => {
    const original = testFolder(t)
    const shown = await makeChain(original)
    t.same(shown, { height: HEIGHT + 1, balance: 1n, edits: 2 })
    for (const action of Object.keys(ACTIONS) as ActionName[]) {
      for (const point of ['states', 'chain'] as const) {
        await t.test(`${action}, killed behind the commit of the ${point}`, async (t) => {
          const dataDir = testFolder(t)
          cpSync(original, dataDir, { recursive: true })
          t.equal(killBetween(dataDir, action, { point }), 'SIGKILL')
          const { before, after } = ACTIONS[action]
          await assertWhole(t, dataDir, point === 'states' ? before(shown) : after(shown))
          rmSync(dataDir, { recursive: true, force: true })
        })
      }
    }
  },
)

t.test('a node that is killed while it makes its chain makes it at the next start', async (t) => {
  for (const [point, code] of [
    ['states', 1],
    ['chain', 0],
  ] as const) {
    const dataDir = testFolder(t)
    t.equal(killBetween(dataDir, 'genesis', { point }), 'SIGKILL')
    const check = await runInProcess(['check', '--data-dir', dataDir])
    t.equal(check.code, code, check.stdout + check.stderr)
    // It makes what is missing.
    await openPatient(dataDir).close()
    await assertWhole(t, dataDir, { height: 0, balance: 0n, edits: 0 })
  }
})
