import { cpSync, rmSync } from 'node:fs'
import t from 'tap'
import { runInProcess } from '../support/program.ts'
import { testFolder } from '../support/testFolder.ts'
import { unpackedVector } from '../support/vectors.ts'
import { killBetween } from './killBetween.ts'
import { killImports } from './killImport.ts'
import { killPruned } from './killPruned.ts'
import { growPruned, KEPT, openPruned, readableBlocks } from './prunedNode.ts'

t.setTimeout(900_000)

t.test(
  'nodes that give old states up and are killed keep what they are to keep',
  { timeout: 900_000 },
  async (t) => {
    const seed = Math.floor(Math.random() * 2 ** 32)
    t.comment(`seed ${seed}`)
    const last = await killPruned({ runs: 5, seed, onRun: (run) => t.comment(JSON.stringify(run)) })
    t.ok(last.firstState > 0, `${last.firstState} of ${last.height}`)
  },
)

t.test('imports that give old states up and are killed go on', { timeout: 900_000 }, async (t) => {
  const seed = Math.floor(Math.random() * 2 ** 32)
  t.comment(`seed ${seed}`)
  const file = unpackedVector('consensus/remasc-long.jsonl')
  const args = ['--proofs', 'blocks:128', '--history', 'blocks:128']
  const report = await killImports({ file, runs: 3, seed, args })
  t.ok(report.finished > 0, `${report.killed} killed`)
})

t.test(
  'a node that is killed between its two stores while it gives states up',
  { timeout: 900_000 },
  async (t) => {
    const original = testFolder(t)
    const node = openPruned(original)
    await growPruned(node, 40)
    await node.close()
    for (const point of ['chain', 'states', 'dropped', 'forgotten'] as const) {
      for (const nth of [2, 7]) {
        await t.test(`behind the commit ${nth} of ${point}`, async (t) => {
          const dataDir = testFolder(t)
          cpSync(original, dataDir, { recursive: true })
          t.equal(killBetween(dataDir, 'prune', { point, nth }), 'SIGKILL')
          const check = await runInProcess(['check', '--full', '--data-dir', dataDir])
          t.equal(check.code, 0, check.stdout + check.stderr)
          const again = openPruned(dataDir)
          const { chain } = again.core.open
          const head = chain.head.number
          t.ok(head >= 40, `${head}`)
          const [first = head] = readableBlocks(again)
          t.ok(first > 1 && first <= Math.max(head - KEPT, 1), `values from ${first} of ${head}`)
          t.equal(readableBlocks(again).length, head - first + 1)
          t.ok(chain.reader.history().firstState <= head - KEPT)
          await growPruned(again, 20)
          t.ok((readableBlocks(again)[0] ?? 0) > first)
          await again.close()
          rmSync(dataDir, { recursive: true, force: true })
        })
      }
    }
  },
)
