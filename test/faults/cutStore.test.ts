import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { LOADER, ROOT } from '../support/sources.ts'
import { testFolder } from '../support/testFolder.ts'
import { openPatient } from './betweenActions.ts'

t.setTimeout(300_000)

async function makeChain(t: Test): Promise<string> {
  const dataDir = testFolder(t)
  const node = openPatient(dataDir)
  await node.core.mine({ count: 20 })
  await node.close()
  return dataDir
}

function read(dataDir: string, store: string, as: string) {
  const { status, signal, stderr } = spawnSync(
    process.execPath,
    ['--import', LOADER, join(ROOT, 'test/faults/cutChild.ts'), dataDir, store, as],
    { env: { PATH: process.env['PATH'] }, encoding: 'utf8' },
  )
  return { status, signal, stderr }
}

t.test(
  'a store that is cut under a program ends it with a line and a code',
  { timeout: 300_000 },
  async (t) => {
    for (const store of ['state', 'chain']) {
      const dataDir = await makeChain(t)
      t.same(read(dataDir, store, 'program'), { status: 4, signal: null, stderr: 'error: lost\n' }, store)
    }
  },
)

t.test('a library leaves the signal as it is', { timeout: 300_000 }, async (t) => {
  const dataDir = await makeChain(t)
  t.match(read(dataDir, 'state', 'library'), { status: null, signal: 'SIGBUS' })
})
