import { cpSync, rmSync } from 'node:fs'
import t from 'tap'
import { runInProcess } from '../support/program.ts'
import { testFolder } from '../support/testFolder.ts'
import { edit, openPatient, show } from './betweenActions.ts'
import { killBetween } from './killBetween.ts'

const HEIGHT = 350
const TARGET = 20

// Six processes, on a machine that may be busy.
t.setTimeout(600_000)

t.test(
  'a rewind that is killed behind any commit of either store leaves a whole chain, and goes on',
  { timeout: 600_000 },
  async (t) => {
    const original = testFolder(t)
    const node = openPatient(original)
    await node.core.mine({ count: TARGET })
    await edit(node.core, 3n)
    const expected = show(node.core)
    await node.core.mine({ count: HEIGHT - TARGET })
    await edit(node.core, 4n)
    await node.close()
    t.same(expected, { height: TARGET, balance: 3n, edits: 1 })
    // A hundred blocks a commit; the first commit of the process is that of its start.
    for (const point of ['states', 'chain'] as const) {
      for (const nth of [1, 2, 3]) {
        await t.test(`killed behind commit ${nth} of the ${point}`, async (t) => {
          const dataDir = testFolder(t)
          cpSync(original, dataDir, { recursive: true })
          t.equal(killBetween(dataDir, `rewindTo${TARGET}`, { point, nth }), 'SIGKILL')
          const checked = await runInProcess(['check', '--full', '--data-dir', dataDir])
          t.equal(checked.code, 0, checked.stdout + checked.stderr)
          const halfway = openPatient(dataDir)
          const { height } = show(halfway.core)
          await halfway.close()
          t.ok(height > TARGET && height <= HEIGHT && (HEIGHT - height) % 100 === 0, `${height}`)
          const again = await runInProcess(['rewind', '--to', String(TARGET), '--data-dir', dataDir])
          t.equal(again.code, 0, again.stderr)
          t.match(
            again.stdout,
            new RegExp(`^${height - TARGET} blocks taken back; head ${TARGET} 0x[0-9a-f]{64}\n$`),
          )
          const rewound = openPatient(dataDir)
          t.same(show(rewound.core), expected)
          await rewound.core.mine({ count: 2 })
          t.same(show(rewound.core), { ...expected, height: TARGET + 2 })
          await rewound.close()
          t.equal((await runInProcess(['check', '--full', '--data-dir', dataDir])).code, 0)
          rmSync(dataDir, { recursive: true, force: true })
        })
      }
    }
  },
)
