import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { EXIT_CODES } from '../../src/cli/exitCodes.ts'
import { startCommand } from '../support/cli.ts'
import { freePort } from '../support/nodeProcess.ts'
import { type Damage, JOURNAL_DAMAGES, LMDB_DAMAGES } from './damage.ts'
import { KEY_SECRET, makeStores } from './sampleStores.ts'

const RESTORE = /rhizome snapshot restore.*rhizome start --bootstrap/
const FILES: readonly {
  readonly path: string
  readonly damages: readonly Damage[]
  readonly advice: RegExp
}[] = [
  { path: 'chain/data.mdb', damages: LMDB_DAMAGES, advice: RESTORE },
  { path: 'state/data.mdb', damages: LMDB_DAMAGES, advice: RESTORE },
  { path: 'access/data.mdb', damages: LMDB_DAMAGES, advice: /restore the folder .* from a copy/ },
  { path: 'pool.journal', damages: JOURNAL_DAMAGES, advice: /restore the file from a copy, or move it away/ },
]

// A start for every damage takes minutes on a busy machine.
t.setTimeout(1_800_000)

t.test('a damaged file is named before it is used, with what helps', { timeout: 1_800_000 }, async (t) => {
  const folder = t.testdir()
  const whole = join(folder, 'whole')
  await makeStores(whole)
  for (const { path, damages, advice } of FILES) {
    for (const damage of damages) {
      await t.test(`${path}: ${damage.name}`, (t) => startDamaged(t, { folder, whole, path, damage, advice }))
    }
  }
})

interface Case {
  readonly folder: string
  readonly whole: string
  readonly path: string
  readonly damage: Damage
  readonly advice: RegExp
}

async function startDamaged(t: Test, { folder, whole, path, damage, advice }: Case): Promise<void> {
  const dataDir = join(folder, 'damaged')
  cpSync(whole, dataDir, { recursive: true })
  t.teardown(() => rmSync(dataDir, { recursive: true }))
  damage.apply(join(dataDir, path))
  const port = await freePort()
  const command = startCommand(['start', '--no-mining', '--data-dir', dataDir, '--http-port', String(port)])
  const over = new AbortController()
  const ended = await Promise.race([command.done, untilServing(port, over.signal)])
  over.abort()
  if (ended === 'serving') {
    command.kill('SIGTERM')
    t.equal((await command.done).code, EXIT_CODES.ok)
    t.equal(damage.isFatal, false, 'it started')
    return
  }
  t.equal(ended.signal, null)
  t.equal(ended.code, EXIT_CODES.damaged)
  t.match(ended.stderr, join(dataDir, path))
  t.match(ended.stderr, advice)
  t.notMatch(ended.stderr, / at .*\.[jt]s:\d/, 'no stack')
}

/** Resolves when the node answers, or nobody waits for that any more. */
async function untilServing(port: number, over: AbortSignal): Promise<'serving'> {
  while (!over.aborted) {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_blockNumber' })
    const headers = { 'content-type': 'application/json' }
    const url = `http://127.0.0.1:${port}/${KEY_SECRET}`
    const status = await fetch(url, { method: 'POST', headers, body }).then(
      (response) => response.status,
      () => 0,
    )
    if (status === 200) return 'serving'
    await sleep(100)
  }
  return 'serving'
}
