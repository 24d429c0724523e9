import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { SignerKey } from '../../src/snapshot/blsKeys.ts'
import { parseManifest } from '../../src/snapshot/manifest.ts'
import { parseSignatures } from '../../src/snapshot/signatureFile.ts'
import { signSnapshot } from '../../src/snapshot/signSnapshot.ts'
import { runCommand } from '../support/cli.ts'
import { serveFiles } from '../support/fileServer.ts'
import { freePort, startNode } from '../support/nodeProcess.ts'
import { REGTEST } from '../support/openTestChain.ts'
import { runInProcess } from '../support/program.ts'
import { importRecordedChain } from '../support/recordedDataDir.ts'
import { makeSnapshot } from '../support/snapshots.ts'

const [ADA, BOB, EVE] = [1, 2, 9].map((seed) => SignerKey.generate(Buffer.alloc(32, seed))) as [
  SignerKey,
  SignerKey,
  SignerKey,
]
const textOf = (key: SignerKey) => `${key.publicKey}:${key.prove()}`
const TRUST = ['--snapshot-keys', `${textOf(ADA)},${textOf(BOB)}`, '--snapshot-quorum', '1']

/** A change of a signed snapshot or of the options, and the refusal that names it. */
interface Refusal {
  readonly name: string
  readonly change?: (folder: string) => void
  readonly args?: readonly string[]
  readonly message: RegExp
}

const REFUSALS: readonly Refusal[] = [
  {
    name: 'another network',
    args: [...TRUST, '--network', 'testnet'],
    message: /the snapshot is of the network regtest, this node is of testnet/,
  },
  {
    name: 'no trusted keys',
    args: [],
    message: /no key is trusted: name those of the signers with --snapshot-keys/,
  },
  {
    name: 'no signature',
    change: (folder) => rmSync(join(folder, 'signatures.json')),
    message: /the snapshot is not signed/,
  },
  {
    name: 'a signer that is not trusted',
    args: ['--snapshot-keys', textOf(BOB)],
    message: new RegExp(`signed by a key that is not trusted: ${ADA.publicKey}`),
  },
  {
    name: "a signature of another's",
    change: (folder) => {
      const path = join(folder, 'signatures.json')
      const { snapshot, signature } = parseSignatures(readFileSync(path))
      writeFileSync(path, readFileSync(path, 'utf8').replace(signature, EVE.sign(snapshot)))
    },
    message: /its signature is not that of the signers it names/,
  },
  {
    name: 'too few signatures',
    args: [...TRUST.slice(0, 2), '--snapshot-quorum', '2'],
    message: /it has 1 of the 2 signatures that are asked for/,
  },
  {
    name: 'a manifest that was changed after it was signed',
    change: (folder) => {
      const path = join(folder, 'manifest.json')
      writeFileSync(path, readFileSync(path, 'utf8').replace('"program": "test"', '"program": "tost"'))
    },
    message: /its signatures are of another snapshot/,
  },
  {
    name: 'a chunk with a bit flipped',
    change: (folder) => {
      const path = lastChunk(folder)
      const bytes = readFileSync(path)
      bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1
      writeFileSync(path, bytes)
    },
    message: /chunk [0-9a-f]{64} is damaged/,
  },
  {
    name: 'a chunk that is cut off',
    change: (folder) => truncateSync(lastChunk(folder), 100),
    message: /chunk [0-9a-f]{64} is 100 bytes long, the manifest says \d+ bytes/,
  },
  {
    name: 'a chunk that is not there',
    change: (folder) => rmSync(lastChunk(folder)),
    message: /chunk [0-9a-f]{64} is missing/,
  },
]

t.test('a node that starts with the snapshot of an address', async (t) => {
  const folder = t.testdir({ source: {} })
  const source = join(folder, 'source')
  await importRecordedChain(source)
  const snapshot = join(folder, 'snapshot')
  const { manifest } = await makeSnapshot({ spec: REGTEST, dataDir: source, folder: snapshot, full: true })
  await signSnapshot(snapshot, ADA)

  await t.test('over a line that breaks', async (t) => {
    const sizes = readdirSync(snapshot).map((file) => statSync(join(snapshot, file)).size)
    const server = await serveFiles(t, snapshot, { breaksAfter: Math.ceil(Math.max(...sizes) / 3) })
    const dataDir = join(folder, 'data')
    const args = [...TRUST, '--workers', '1', '--bootstrap', server.url]
    const node = await startNode({ dataDir, args })
    t.teardown(() => node.stop('SIGKILL'))
    const head = () => node.request('eth_getBlockByNumber', ['latest', false])
    t.match(await head(), {
      hash: `0x${manifest.block.hash}`,
      number: `0x${manifest.block.number.toString(16)}`,
    })
    const continued = server.seen.filter(({ status }) => status === 206)
    t.ok(continued.length > 0, 'it went on by ranges')
    t.ok(continued.every(({ start }) => start > 0))
    await node.request('evm_mine')
    t.match(await node.stop(), { code: 0 })
    const asked = server.seen.length
    const again = await startNode({ dataDir, args })
    t.teardown(() => again.stop('SIGKILL'))
    t.equal(await again.request('eth_blockNumber'), `0x${(manifest.block.number + 1).toString(16)}`)
    t.equal(server.seen.length, asked, 'a node with a chain asks for none')
    t.match(await again.stop(), { code: 0 })
  })

  for (const [index, { name, change, args = TRUST, message }] of REFUSALS.entries()) {
    await t.test(`refused: ${name}`, async (t) => {
      const bad = join(folder, `bad-${index}`)
      cpSync(snapshot, bad, { recursive: true })
      change?.(bad)
      const { url } = await serveFiles(t, bad)
      const dataDir = join(folder, `data-${index}`)
      const port = String(await freePort())
      const words = ['--data-dir', dataDir, '--http-port', port, '--workers', '1', '--bootstrap', url]
      // One of them as a process, to see how that ends.
      const run = index === 0 ? runCommand : runInProcess
      const { code, stderr } = await run(['start', ...words, ...args])
      t.equal(code, 1)
      t.match(stderr, message)
      t.notMatch(stderr, /\n\s+at /, 'a message, not a stack')
      if (!existsSync(join(dataDir, 'chain'))) return
      const without = await runCommand(['start', '--data-dir', dataDir, '--http-port', port])
      t.equal(without.code, 1)
      t.match(without.stderr, /restor/, 'what was written before is not taken for a chain')
    })
  }
})

function lastChunk(folder: string): string {
  const { chunks } = parseManifest(readFileSync(join(folder, 'manifest.json'))).manifest
  return join(folder, `${chunks.at(-1)?.hash}.zst`)
}
