import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { SignerKey } from '../../src/snapshot/blsKeys.ts'
import { signSnapshot } from '../../src/snapshot/signSnapshot.ts'
import { readRestoreMarker } from '../../src/storage/restoreMarker.ts'
import { startCommand } from '../support/cli.ts'
import { serveFiles } from '../support/fileServer.ts'
import { startNode } from '../support/nodeProcess.ts'
import { runInProcess } from '../support/program.ts'
import { makeRecordedSnapshot } from '../support/recordedSnapshot.ts'

const ADA = SignerKey.generate(Buffer.alloc(32, 1))
const TRUST = ['--snapshot-keys', `${ADA.publicKey}:${ADA.prove()}`, '--snapshot-quorum', '1']
const START = ['start', '--http-port', '0', '--workers', '1', '--data-dir']

t.test('SIGTERM while the stores are opened: the node ends as asked, and they are whole', async (t) => {
  for (const store of ['chain', 'access']) {
    const dataDir = join(t.testdir(), store, 'data')
    const node = startCommand([...START, dataDir])
    // What is made there is made while the node starts.
    while (!existsSync(join(dataDir, store)) && node.isRunning()) await sleep(1)
    t.teardown(() => node.kill('SIGKILL'))
    node.kill('SIGTERM')
    t.match(await node.done, { code: 0, signal: null }, store)
    const check = await runInProcess(['check', '--data-dir', dataDir])
    t.equal(check.code, 0, check.stderr)
  }
})

t.test('SIGTERM while a snapshot is restored at the start: the next start goes on', async (t) => {
  const folder = t.testdir()
  const { snapshot, manifest } = await makeRecordedSnapshot(folder)
  await signSnapshot(snapshot, ADA)
  let isHeld = true
  let chunks = 0
  const server = await serveFiles(t, snapshot, {
    before: async (file) => {
      if (file.endsWith('.zst')) chunks += 1
      while (isHeld && chunks > manifest.chunks.length / 2) await sleep(10)
    },
  })
  const dataDir = join(folder, 'data')
  const bootstrap = ['--bootstrap', server.url, ...TRUST]
  const node = startCommand([...START, dataDir, ...bootstrap])
  while (chunks <= manifest.chunks.length / 2 && node.isRunning()) await sleep(5)
  t.teardown(() => node.kill('SIGKILL'))
  node.kill('SIGTERM')
  const { code, stderr } = await node.done
  t.equal(code, 0, stderr)
  t.match(stderr, /the restore was stopped; the next start goes on where it was/)
  t.ok(readRestoreMarker(dataDir) !== null, 'half of it is not taken for a chain')
  isHeld = false
  const before = chunks
  const again = await startNode({ dataDir, args: ['--workers', '1', ...bootstrap] })
  t.teardown(() => again.stop('SIGKILL'))
  t.ok(
    chunks - before < manifest.chunks.length,
    `${chunks - before} of ${manifest.chunks.length} chunks were read`,
  )
  t.equal(await again.request('eth_blockNumber'), `0x${manifest.block.number.toString(16)}`)
  t.match(await again.stop(), { code: 0 })
})
