import { cpSync, existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { openChain } from '../../../src/execution/openChain.ts'
import { packChunk, unpackChunk } from '../../../src/native/snapshot.ts'
import { type BlockRecord, decodeBlockRecords, encodeBlockRecord } from '../../../src/snapshot/blockRecord.ts'
import { FolderSource } from '../../../src/snapshot/folderSource.ts'
import { type ChunkEntry, type Manifest, parseManifest } from '../../../src/snapshot/manifest.ts'
import { restoreSnapshot } from '../../../src/snapshot/restoreSnapshot.ts'
import { verifySnapshot } from '../../../src/snapshot/verifySnapshot.ts'
import { makeSnapshot, openRestored, openWith, readRewardChain } from '../../support/snapshots.ts'

const { spec, blocks } = readRewardChain('remasc')
const BLOCKS = 90

/** A change of a snapshot in a folder, and the refusal that names it. */
interface Case {
  readonly name: string
  readonly code: string
  readonly message: RegExp
  readonly change: (folder: string) => Promise<void> | void
}

type Draft = { -readonly [K in keyof Manifest]: Manifest[K] }

const CASES: readonly Case[] = [
  {
    name: 'no manifest',
    code: 'SNAPSHOT_SOURCE',
    message: /holds no snapshot/,
    change: (folder) => rmSync(join(folder, 'manifest.json')),
  },
  {
    name: 'a manifest that is cut off',
    code: 'SNAPSHOT_MANIFEST',
    message: /is no JSON: it is cut off/,
    change: (folder) => truncateSync(join(folder, 'manifest.json'), 300),
  },
  manifest('an older version', /version 1 expected, got 0/, (draft) => ({ ...draft, version: 0 })),
  manifest(
    'a newer version',
    /version 2, made by .*; this build \(.*\) reads up to 1: run a newer build/,
    (draft) => ({ ...draft, version: 2 }),
  ),
  {
    name: 'a version that nests deeper than anything reads',
    code: 'SNAPSHOT_MANIFEST',
    message: /version 1 expected, got a list/,
    change: (folder) => {
      const text = readFileSync(join(folder, 'manifest.json'), 'utf8')
      const nested = `${'['.repeat(10_000)}${']'.repeat(10_000)}`
      writeFileSync(join(folder, 'manifest.json'), text.replace('"version": 1', `"version": ${nested}`))
    },
  },
  manifest('a chunk left out', /hold blocks 1 to 0, not to \d+/, (draft) => ({
    ...draft,
    chunks: draft.chunks.filter(({ kind }) => kind === 'state'),
  })),
  manifest('chunks in another order', /chunks\[1\] does not follow/, (draft) => ({
    ...draft,
    chunks: [...draft.chunks].reverse(),
  })),
  manifest('a chunk that claims to be larger than any', /chunks\[0\]\.size from 1 to/, (draft) => ({
    ...draft,
    chunks: draft.chunks.map((chunk) => ({ ...chunk, size: 2 ** 40 })),
  })),
  {
    ...manifest('another network', /is of the network main, this node is of regtest/, (draft) => ({
      ...draft,
      network: 'main',
    })),
    code: 'SNAPSHOT_NETWORK',
  },
  {
    ...manifest('another chain of the network', /begins with block 11/, (draft) => ({
      ...draft,
      genesis: '11'.repeat(32),
    })),
    code: 'SNAPSHOT_NETWORK',
  },
  content('another state root', /names the state|is not among its chunks/, (draft) => ({
    ...draft,
    stateRoot: '22'.repeat(32),
  })),
  content('another last block', /its blocks end with/, (draft) => ({
    ...draft,
    block: { ...draft.block, hash: '33'.repeat(32) },
  })),
  content('another total difficulty', /the total difficulty of its last block is/, (draft) => ({
    ...draft,
    totalDifficulty: '1',
  })),
  content('another total difficulty before block 1', /before block 1 is not that of genesis/, (draft) => ({
    ...draft,
    first: { ...draft.first, parentTotalDifficulty: '77' },
  })),
  ...(['state', 'blocks'] as const).flatMap((kind): Case[] => [
    file(`a missing chunk of ${kind}`, kind, /chunk [0-9a-f]{64} is missing/, (path) => rmSync(path)),
    file(`a chunk of ${kind} that is cut off`, kind, /is \d+ bytes long, the manifest says/, (path) => {
      truncateSync(path, 100)
    }),
    file(`a chunk of ${kind} that goes on`, kind, /is longer, the manifest says/, (path) => {
      writeFileSync(path, Buffer.concat([readFileSync(path), Buffer.alloc(1)]))
    }),
    file(`a chunk of ${kind} with a bit flipped`, kind, /is damaged/, (path) => {
      const bytes = readFileSync(path)
      const middle = bytes.length >> 1
      bytes[middle] = (bytes[middle] ?? 0) ^ 1
      writeFileSync(path, bytes)
    }),
    file(`zeros in place of a chunk of ${kind}`, kind, /is damaged/, (path) => {
      writeFileSync(path, Buffer.alloc(readFileSync(path).length))
    }),
  ]),
  repacked(
    'other contents under the name of a chunk',
    'state',
    /its contents have another hash/,
    (bytes) => bytes,
    {
      keepHash: true,
      change: (bytes) => Buffer.from(bytes).fill(7, bytes.length - 1),
    },
  ),
  repacked(
    'a value of a trie node changed',
    'state',
    /has another hash|does not parse|size of its children/,
    (bytes) => {
      const changed = Buffer.from(bytes)
      changed[changed.length - 40] = (changed[changed.length - 40] ?? 0) ^ 1
      return changed
    },
  ),
  repacked('a trie node left out', 'state', /chunk [0-9a-f]{64} of the state|holds \d+ nodes/, (bytes) => {
    // The first record: its length stands behind the flags.
    const start = nodesOf(bytes)
    const length = 5 + bytes.readUInt32LE(start + 1)
    return Buffer.concat([bytes.subarray(0, start), bytes.subarray(start + length)])
  }),
  records('a block left out', /does not stand on|stands where|holds \d+ blocks/, (list) =>
    list.toSpliced(40, 1),
  ),
  records('two blocks in another order', /does not stand on|stands where|not in the snapshot/, (list) => [
    ...list.slice(0, 30),
    ...list.slice(30, 32).reverse(),
    ...list.slice(32),
  ]),
  records('receipts of another block', /its receipts have another root/, (list) =>
    list.map((record, index) =>
      index === 20 ? { ...record, receipts: list[21]?.receipts ?? record.receipts } : record,
    ),
  ),
  records('transactions of another block', /its transactions have another root/, (list) =>
    list.map((record, index) => (index === 20 ? { ...record, body: list[25]?.body ?? record.body } : record)),
  ),
  records(
    'a header changed',
    /does not stand on|does not decode|another root|not in the snapshot|merged mining/,
    (list) =>
      list.map((record, index) => {
        if (index !== 20) return record
        const header = Buffer.from(record.header)
        header[120] = (header[120] ?? 0) ^ 1
        return { ...record, header }
      }),
  ),
  records('a block that is no block', /does not decode/, (list) =>
    list.map((record, index) => (index === 9 ? { ...record, header: Buffer.from('c0', 'hex') } : record)),
  ),
]

t.test('every change of a snapshot is refused, and nothing that is half there is opened', async (t) => {
  const folder = t.testdir()
  const original = openWith(t, spec, blocks.slice(0, BLOCKS), folder)
  const good = join(folder, 'good')
  await makeSnapshot({ spec, dataDir: original.dataDir, folder: good })
  const restored = await openRestored(t, spec, good, join(folder, 'restored'))
  t.equal(restored.chain.head.hashHex, original.chain.head.hashHex, 'unchanged it is taken')
  for (const [index, { name, code, message, change }] of CASES.entries()) {
    const bad = join(folder, `bad-${index}`)
    cpSync(good, bad, { recursive: true })
    await change(bad)
    const source = new FolderSource(bad)
    const trust = { kind: 'anyone' } as const
    await t.rejects(verifySnapshot({ spec, source, trust }), { code, message }, `verify: ${name}`)
    const dataDir = join(folder, `data-${index}`)
    await t.rejects(restoreSnapshot({ spec, source, trust, dataDir }), { code, message }, `restore: ${name}`)
    if (existsSync(join(dataDir, 'chain'))) {
      t.throws(() => openChain({ spec, dataDir }), { code: 'STORAGE_UNFINISHED' }, `open: ${name}`)
    }
  }
})

t.test('a directory that holds something else is left alone', async (t) => {
  const folder = t.testdir()
  const original = openWith(t, spec, blocks.slice(0, 30), folder)
  const [one, two] = [join(folder, 'one'), join(folder, 'two')]
  await makeSnapshot({ spec, dataDir: original.dataDir, folder: one })
  await makeSnapshot({ spec, dataDir: original.dataDir, folder: two, depth: 3 })
  const trust = { kind: 'anyone' } as const
  const restore = (from: string, dataDir: string) =>
    restoreSnapshot({ spec, trust, dataDir, source: new FolderSource(from) })
  await t.rejects(restore(one, original.dataDir), { code: 'SNAPSHOT_TARGET', message: /in use by another/ })
  const dataDir = join(folder, 'data')
  const last = manifestOf(one).chunks.at(-1) as ChunkEntry
  cpSync(one, join(folder, 'broken'), { recursive: true })
  rmSync(join(folder, 'broken', `${last.hash}.zst`))
  await t.rejects(restore(join(folder, 'broken'), dataDir), { code: 'SNAPSHOT_CHUNK' })
  await t.rejects(restore(two, dataDir), { code: 'SNAPSHOT_TARGET', message: /a part of another snapshot/ })
  t.equal((await restore(one, dataDir)).resumed, true)
  await t.rejects(restore(one, dataDir), { code: 'SNAPSHOT_TARGET', message: /holds a chain already/ })
  await t.rejects(makeSnapshot({ spec, dataDir, folder: one }), {
    code: 'SNAPSHOT_TARGET',
    message: /a snapshot/,
  })
})

function manifestOf(folder: string): Manifest {
  return parseManifest(readFileSync(join(folder, 'manifest.json'))).manifest
}

function writeManifest(folder: string, changed: Manifest): void {
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify(changed))
}

function manifest(name: string, message: RegExp, change: (draft: Draft) => Manifest): Case {
  return {
    name,
    code: 'SNAPSHOT_MANIFEST',
    message,
    change: (folder) => writeManifest(folder, change(manifestOf(folder))),
  }
}

function content(name: string, message: RegExp, change: (draft: Draft) => Manifest): Case {
  return { ...manifest(name, message, change), code: 'SNAPSHOT_CONTENT' }
}

function file(name: string, kind: ChunkEntry['kind'], message: RegExp, change: (path: string) => void): Case {
  return {
    name,
    code: 'SNAPSHOT_CHUNK',
    message,
    change: (folder) => change(join(folder, `${entryOf(folder, kind).hash}.zst`)),
  }
}

/** Contents changed, and the manifest with them, as somebody does who has the key. */
function repacked(
  name: string,
  kind: ChunkEntry['kind'],
  message: RegExp,
  change: (contents: Buffer) => Buffer,
  lie?: { readonly keepHash: true; readonly change: (contents: Buffer) => Buffer },
): Case {
  const run = async (folder: string): Promise<void> => {
    const entry = entryOf(folder, kind)
    const path = join(folder, `${entry.hash}.zst`)
    const contents = await unpackChunk(readFileSync(path), entry.size, Buffer.from(entry.hash, 'hex'))
    const changed = (lie?.change ?? change)(contents)
    const { hash, packed } = await packChunk(changed)
    const named = lie === undefined ? hash.toString('hex') : entry.hash
    rmSync(path)
    writeFileSync(join(folder, `${named}.zst`), packed)
    const draft = manifestOf(folder)
    const size = { hash: named, size: changed.length, packedSize: packed.length }
    const chunks = draft.chunks.map((chunk) => (chunk.hash === entry.hash ? { ...chunk, ...size } : chunk))
    writeManifest(folder, { ...draft, chunks })
  }
  return { name, code: lie === undefined ? 'SNAPSHOT_CONTENT' : 'SNAPSHOT_CHUNK', message, change: run }
}

function records(name: string, message: RegExp, change: (list: BlockRecord[]) => BlockRecord[]): Case {
  return repacked(name, 'blocks', message, (contents) =>
    Buffer.concat(change([...decodeBlockRecords(contents)]).map(encodeBlockRecord)),
  )
}

function entryOf(folder: string, wanted: ChunkEntry['kind']): ChunkEntry {
  const entry = manifestOf(folder).chunks.find(({ kind }) => kind === wanted)
  if (entry === undefined) throw new Error(`no chunk of ${wanted}`)
  return entry
}

/** Where the nodes begin in a chunk of the state. */
function nodesOf(bytes: Buffer): number {
  let at = 16
  for (let left = bytes.readUInt32LE(8); left > 0; left -= 1) at += 4 + bytes.readUInt32LE(at)
  return at + 40 * bytes.readUInt32LE(12)
}
