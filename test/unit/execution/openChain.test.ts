import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { openChain } from '../../../src/execution/openChain.ts'
import { edit, openPatient } from '../../faults/betweenActions.ts'
import { REGTEST } from '../../support/openTestChain.ts'
import { runInProcess } from '../../support/program.ts'
import { testFolder } from '../../support/testFolder.ts'

async function makeChain(dataDir: string): Promise<void> {
  const node = openPatient(dataDir)
  await node.core.mine({ count: 3 })
  await edit(node.core, 1n)
  await node.close()
}

t.test('one store without the other is damage and no new chain', async (t) => {
  const original = testFolder(t)
  await makeChain(original)
  for (const store of ['chain', 'state']) {
    for (const lose of ['', 'data.mdb']) {
      const dataDir = testFolder(t)
      cpSync(original, dataDir, { recursive: true })
      rmSync(join(dataDir, store, lose), { recursive: true })
      const missing = new RegExp(`${store}/data\\.mdb is missing`)
      t.throws(() => openChain({ spec: REGTEST, dataDir }), { code: 'STORAGE_CORRUPT', message: missing })
      t.match(await runInProcess(['check', '--data-dir', dataDir]), { code: 4, stderr: missing })
      t.equal(existsSync(join(dataDir, store, 'data.mdb')), false, 'nothing is made in its place')
    }
  }
})

t.test('a store that begins anew beside the other is damage, too', async (t) => {
  const original = testFolder(t)
  await makeChain(original)
  const other = testFolder(t)
  const dataDir = testFolder(t)
  cpSync(original, dataDir, { recursive: true })
  const { environment, close } = openChain({ spec: REGTEST, dataDir: other })
  environment.transaction((writer) => writer.remove('metadata', Buffer.from('genesis')))
  await close()
  cpSync(join(other, 'chain/data.mdb'), join(dataDir, 'chain/data.mdb'))
  t.throws(() => openChain({ spec: REGTEST, dataDir }), {
    code: 'STORAGE_CORRUPT',
    message: /holds no chain/,
  })
})

t.test('what only reads makes no data directory and no chain in one', async (t) => {
  const folder = testFolder(t)
  for (const command of ['check', 'export']) {
    for (const dataDir of [join(folder, 'absent'), folder]) {
      const result = await runInProcess([command, '--data-dir', dataDir])
      t.match(result, { code: 1, stderr: /holds no chain: look at --data-dir and --network/ }, command)
    }
  }
  t.same(readdirSync(folder), [])
})

t.test('an edit whose state is lost is found', async (t) => {
  const dataDir = testFolder(t)
  await makeChain(dataDir)
  const { environment, chain, close } = openChain({ spec: REGTEST, dataDir })
  const hash = chain.reader.headerByNumber(1)?.hash ?? Buffer.alloc(0)
  environment.transaction((writer) => {
    writer.put('stateEdits', hash, Buffer.alloc(32, 7))
    writer.put('stateEdits', Buffer.alloc(32, 8), Buffer.alloc(32, 9))
  })
  await close()
  const { code, stdout } = await runInProcess(['check', '--blocks', '1', '--data-dir', dataDir])
  t.equal(code, 4)
  t.match(stdout, /block 1 .*its state was edited, and (07){32}, what it became, is missing/)
  t.match(stdout, /the state after (08){32}, which is no block here, was edited/)
  t.match(stdout, /block 1 .*its state is missing/, 'behind the blocks whose whole state is read')
})

t.test('a check writes nothing, and works where nothing can be written', async (t) => {
  const dataDir = testFolder(t)
  await makeChain(dataDir)
  const files = ['chain/data.mdb', 'state/data.mdb', 'pool.journal']
  const times = () => files.map((path) => statSync(join(dataDir, path)).mtimeMs)
  const before = times()
  t.match(await runInProcess(['check', '--full', '--data-dir', dataDir]), { code: 0, stdout: /^4 blocks/m })
  t.same(times(), before)
  const bound = mkdtempSync(join(tmpdir(), 'rhizome-read-only-'))
  t.teardown(() => {
    spawnSync('umount', ['--lazy', bound])
    rmdirSync(bound)
  })
  if (spawnSync('mount', ['--bind', dataDir, bound]).status !== 0) {
    t.comment('no mount is allowed here: it takes root')
    return
  }
  t.equal(spawnSync('mount', ['-o', 'remount,bind,ro', bound]).status, 0)
  t.throws(() => writeFileSync(join(bound, 'file'), ''), { code: 'EROFS' })
  t.match(await runInProcess(['check', '--full', '--data-dir', bound]), { code: 0, stdout: /^4 blocks/m })
  const exported = await runInProcess(['export', '--to', '2', '--data-dir', bound])
  t.match(exported, { code: 0, stderr: /2 blocks exported/ })
})

t.test('nobody else reads a data directory, also one that was open to others', async (t) => {
  const dataDir = join(testFolder(t), 'data')
  await makeChain(dataDir)
  const paths = ['', ...readdirSync(dataDir, { recursive: true, encoding: 'utf8' })].map((path) =>
    join(dataDir, path),
  )
  const modes = () => paths.map((path) => [path, statSync(path).mode & 0o777] as const)
  for (const [path, mode] of modes()) t.equal(mode, statSync(path).isDirectory() ? 0o700 : 0o600, path)
  const before = modes()
  for (const [path] of before) chmodSync(path, statSync(path).isDirectory() ? 0o755 : 0o644)
  await makeChain(dataDir)
  t.same(modes(), before)
})
