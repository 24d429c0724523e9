import { spawnSync } from 'node:child_process'
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { openChain } from '../../src/execution/openChain.ts'
import { ChainEnvironment } from '../../src/storage/chainEnvironment.ts'
import { CHAIN_FORMATS, convertChain, readChainFormat } from '../../src/storage/formats/chainFormat.ts'
import type { ConversionProgress } from '../../src/storage/formats/conversion.ts'
import { PoolJournal } from '../../src/txpool/poolJournal.ts'
import { unpackFixture } from '../formats/fixture.ts'
import { REGTEST } from '../support/openTestChain.ts'
import { runInProcess } from '../support/program.ts'
import { LOADER, ROOT } from '../support/sources.ts'
import { testFolder } from '../support/testFolder.ts'
import { DOUBLING_FORMATS, doubling } from './doubling.ts'

/** Every list of senders of a chain store, by block. */
async function readSenders(folder: string): Promise<Map<string, string>> {
  const environment = new ChainEnvironment(folder)
  const senders = [...environment.entries('senders')].map(
    ({ key, value }) => [key.toString('hex'), value.toString('hex')] as const,
  )
  await environment.close()
  return new Map(senders)
}

function unpack(t: Test, name: string): string {
  const dataDir = testFolder(t)
  unpackFixture(name, dataDir)
  return dataDir
}

/** Runs a program of this folder, which kills itself. */
function runChild(file: string, ...words: string[]): NodeJS.Signals | null {
  const { signal, stderr, status } = spawnSync(
    process.execPath,
    ['--import', LOADER, join(ROOT, 'test/faults', file), ...words],
    { env: { PATH: process.env['PATH'] }, encoding: 'utf8' },
  )
  if (signal === null && status !== 0) throw new Error(stderr)
  return signal
}

t.test('a conversion that is killed inside or behind any batch goes on where it was', async (t) => {
  const original = unpack(t, 'chain-5')
  const before = await readSenders(join(original, 'chain'))
  t.ok(before.size > 16, `${before.size} rows make several batches`)
  const doubled = new Map([...before].map(([key, value]) => [key, value + value]))
  const batches = Math.floor(before.size / 8) + 1
  for (let batch = 1; batch <= batches; batch += 1) {
    for (const where of ['inside', 'behind']) {
      const dataDir = testFolder(t)
      cpSync(original, dataDir, { recursive: true })
      const folder = join(dataDir, 'chain')
      t.equal(runChild('convertChild.ts', folder, `${batch}`, where), 'SIGKILL')
      const committed = where === 'behind' ? batch : batch - 1
      const stored = await readChainFormat(folder)
      t.match(
        stored?.found,
        {
          format: committed === 0 ? CHAIN_FORMATS.current : DOUBLING_FORMATS.current,
          converting: committed > 0 && committed < batches,
        },
        `killed ${where} batch ${batch}`,
      )
      if (committed > 0) {
        t.throws(() => openChain({ spec: REGTEST, dataDir }), { code: 'STORAGE_NEWER' }, 'not for this build')
      }
      const progress: ConversionProgress[] = []
      await convertChain(folder, {
        supported: DOUBLING_FORMATS,
        steps: [doubling()],
        onProgress: (each) => progress.push(each),
      })
      t.equal(progress.length, batches - committed, 'only the rest is done')
      t.same(await readSenders(folder), doubled)
      rmSync(dataDir, { recursive: true, force: true })
    }
  }
})

t.test('a conversion that is stopped between two batches goes on, too', async (t) => {
  const folder = join(unpack(t, 'chain-5'), 'chain')
  const before = await readSenders(folder)
  const stop = new AbortController()
  const options = { supported: DOUBLING_FORMATS, steps: [doubling()] }
  const stopped = convertChain(folder, { ...options, signal: stop.signal, onProgress: () => stop.abort() })
  await t.rejects(stopped, { name: 'AbortError' })
  t.match(await readChainFormat(folder), { found: { converting: true, conversion: { done: 8 } } })
  await convertChain(folder, options)
  t.same(await readSenders(folder), new Map([...before].map(([key, value]) => [key, value + value])))
})

t.test('a directory of which some stores are converted is converted to its end', async (t) => {
  for (const conversions of [1, 2, 3, 4]) {
    const dataDir = unpack(t, 'chain-3')
    t.equal(runChild('migrateChild.ts', dataDir, `${conversions}`), 'SIGKILL')
    // The chain store is the first, and takes two steps.
    const left = Math.min(2, 4 - conversions)
    t.match(await runInProcess(['check', '--data-dir', dataDir]), { code: conversions === 1 ? 2 : 0 })
    const rest = await runInProcess(['migrate', '--data-dir', dataDir])
    t.equal(rest.code, 0, rest.stderr)
    t.equal(rest.stdout.match(/: format 1 to 2$/gm)?.length ?? 0, left)
    t.match(await runInProcess(['key', 'list', '--data-dir', dataDir]), { code: 0, stdout: /alpha/ })
    const journal = new PoolJournal(join(dataDir, 'pool.journal'))
    t.equal(journal.size, 2)
    await journal.close()
  }
})
