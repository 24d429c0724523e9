import { cpSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { EXIT_CODES } from '../../src/cli/exitCodes.ts'
import { LMDB_LAYOUTS, readTree } from '../../src/storage/lmdbLayout.ts'
import { startCommand } from '../support/cli.ts'
import { freePort } from '../support/nodeProcess.ts'
import { createRandom } from '../support/random.ts'
import { flipBit } from './damage.ts'
import { makeStores } from './sampleStores.ts'

/** Starts for each store and kind of place; `FLIPS` and `SEED` in the environment look at others. */
const FLIPS = Number(process.env['FLIPS'] ?? 3)
const SEED = Number(process.env['SEED'] ?? 1)
const FILES = ['chain/data.mdb', 'state/data.mdb', 'access/data.mdb']

const PAGE = 4096
const META_PAGES = 2
const META_BYTES = 168
/** Places in a meta page behind its header. */
const TREES = 24
const TRANSACTION = 128
const NODE_HEADER = 8

t.setTimeout(1_800_000)

// What a start does with a bit flipped in the pages that LMDB follows, and in those that only values are in.
t.test(
  'a start with a bit turned over is one, or says that the store is damaged',
  { timeout: 1_800_000 },
  async (t) => {
    const folder = t.testdir()
    const whole = join(folder, 'whole')
    const remunerated = await makeStores(whole)
    const random = createRandom(SEED)
    const found = { damaged: 0, started: 0 }
    for (const file of FILES) {
      const bytes = readFileSync(join(whole, file))
      for (const [kind, choose] of Object.entries(POSITIONS)) {
        for (let count = 0; count < FLIPS; count += 1) {
          const at = choose(bytes, random)
          const bit = Math.floor(random() * 8)
          const dataDir = join(folder, 'flipped')
          cpSync(whole, dataDir, { recursive: true })
          flipBit(join(dataDir, file), at, bit)
          found[await start(t, dataDir, `${file}: ${kind}, byte ${at}, bit ${bit}`)] += 1
          rmSync(dataDir, { recursive: true })
        }
      }
    }
    for (const at of placesOf(readFileSync(join(whole, 'state/data.mdb')), remunerated)) {
      const dataDir = join(folder, 'flipped')
      cpSync(whole, dataDir, { recursive: true })
      flipBit(join(dataDir, 'state/data.mdb'), at, 1)
      found[await start(t, dataDir, `state/data.mdb: the hash of a block, byte ${at}`)] += 1
      rmSync(dataDir, { recursive: true })
    }
    t.comment(JSON.stringify(found))
    t.ok(found.damaged > 0 && found.started > 0)
  },
)

/** Starts a node that mines, which writes both stores, and stops it when it answers. */
async function start(t: Test, dataDir: string, name: string): Promise<'damaged' | 'started'> {
  const port = await freePort()
  const command = startCommand(['start', '--data-dir', dataDir, '--http-port', String(port)])
  const over = new AbortController()
  const first = await Promise.race([command.done, untilAnswering(port, over.signal)])
  over.abort()
  if (first === 'answering') command.kill('SIGTERM')
  const { code, signal, stderr } = await command.done
  t.equal(signal, null, name)
  t.notMatch(stderr, /what is stored is whole|may not grow| at .*\.[jt]s:\d/, name)
  if (first === 'answering' && code === EXIT_CODES.ok) return 'started'
  t.equal(code, EXIT_CODES.damaged, `${name}: ${stderr}`)
  t.match(stderr, /rhizome check|restore the folder/, name)
  return 'damaged'
}

async function untilAnswering(port: number, over: AbortSignal): Promise<'answering'> {
  while (!over.aborted) {
    const hasAnswered = await fetch(`http://127.0.0.1:${port}/health`).then(
      () => true,
      () => false,
    )
    if (hasAnswered) break
    await sleep(100)
  }
  return 'answering'
}

const POSITIONS: Readonly<Record<string, (file: Buffer, random: () => number) => number>> = {
  anywhere: (file, random) => Math.floor(random() * file.length),
  'a meta page': (_, random) => Math.floor(random() * META_PAGES) * PAGE + Math.floor(random() * META_BYTES),
  'the head of a page': (file, random) => {
    const page = META_PAGES + Math.floor(random() * (file.length / PAGE - META_PAGES))
    return page * PAGE + Math.floor(random() * (layoutOf(file).header + 4))
  },
  'a number of a free page': (file, random) => {
    const numbers = freeNumbers(file)
    return (numbers[Math.floor(random() * numbers.length)] ?? 0) + Math.floor(random() * 8)
  },
}

/** Places of a hash: the key of what the state store keeps of its block, and where others name that block. */
function placesOf(file: Buffer, hash: Buffer): number[] {
  const places: number[] = []
  for (let at = file.indexOf(hash); at !== -1; at = file.indexOf(hash, at + 1)) places.push(at)
  return places
}

/** Places of the numbers in the lists of free pages, on the one page that such a small store has for them. */
function freeNumbers(file: Buffer): number[] {
  const { header, base, flags } = layoutOf(file)
  const meta = (page: number) => page * PAGE + header
  const newest =
    file.readBigUInt64LE(meta(0) + TRANSACTION) > file.readBigUInt64LE(meta(1) + TRANSACTION) ? 0 : 1
  const page = Number(readTree(file, meta(newest) + TREES).root) * PAGE
  const places: number[] = []
  for (let slot = header; slot < base + file.readUInt16LE(page + flags + 2); slot += 2) {
    const node = page + base + file.readUInt16LE(page + slot)
    const data = node + NODE_HEADER + file.readUInt16LE(node + 6)
    for (let at = 8; at < file.readUInt32LE(node); at += 8) places.push(data + at)
  }
  return places
}

function layoutOf(file: Buffer) {
  const layout = [...LMDB_LAYOUTS].find(
    ([version, { header }]) => (file.readUInt32LE(header + 4) & 0xffff) === version,
  )
  if (layout === undefined) throw new Error('no layout')
  return layout[1]
}
