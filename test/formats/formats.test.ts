import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { openChain } from '../../src/execution/openChain.ts'
import { dataDirStores } from '../../src/node/dataDirStores.ts'
import { migrateDataDir } from '../../src/node/migrateDataDir.ts'
import { SnapshotError } from '../../src/snapshot/errors.ts'
import { FolderSource } from '../../src/snapshot/folderSource.ts'
import { restoreSnapshot } from '../../src/snapshot/restoreSnapshot.ts'
import { stateRootAfter } from '../../src/state/stateRoot.ts'
import { AccessStore } from '../../src/storage/access/accessStore.ts'
import { joinRecords } from '../../src/storage/recordLogCodec.ts'
import { PoolJournal } from '../../src/txpool/poolJournal.ts'
import { bytesToBigInt, fromHex } from '../../src/util/bytes.ts'
import { programVersion } from '../../src/util/programVersion.ts'
import { parseKeyFile } from '../../src/wallet/secretStorage/web3KeyFile.ts'
import { COW_ADDRESS } from '../support/accounts.ts'
import { REGTEST } from '../support/openTestChain.ts'
import { runInProcess } from '../support/program.ts'
import { testFolder } from '../support/testFolder.ts'
import { vectorPath } from '../support/vectors.ts'
import { fixtureNames, unpackFixture } from './fixture.ts'
import { plantFormat, plantStateFormat } from './plantFormat.ts'

/** Wei of the first development account at the head of every fixture. */
const BALANCE = 0xc9f2c9cd044b45aa93c324063n
const KEY_FILE = 'keystore/UTC--2026-11-23T11-55-40.592000000Z--08434f12c611918d777d3d30ab88d313bd2566cd'
const CHAIN_METADATA = '1'
const BOTH_VERSIONS = `written by Rhizome 9.8.7; this build (${programVersion()}) reads up to `

function unpack(t: Test, name: string): string {
  const dataDir = testFolder(t)
  unpackFixture(name, dataDir)
  return dataDir
}

function run(command: string, dataDir: string, ...words: string[]) {
  return runInProcess([...command.split(' '), ...words, '--data-dir', dataDir])
}

/** Everything that was put into a fixture is in the directory, and reads as ever. */
async function assertWhole(t: Test, dataDir: string): Promise<void> {
  const check = await run('check', dataDir, '--full')
  t.match(check, { code: 0, stdout: /^24 blocks, 1 side blocks, 24 states: 0 problems$/m }, check.stderr)
  const opened = openChain({ spec: REGTEST, dataDir })
  try {
    const { chain, stateStore } = opened
    const root = stateRootAfter(REGTEST, stateStore, chain.head)
    const account = stateStore.account(root, fromHex(COW_ADDRESS))
    t.equal(bytesToBigInt(account?.balance ?? Buffer.alloc(0)), BALANCE)
  } finally {
    await opened.close()
  }
  const journal = new PoolJournal(join(dataDir, 'pool.journal'))
  const waiting = journal.load().map(({ transaction }) => transaction.fields.value)
  t.same(waiting, [1n, 2n], 'what waited goes on waiting')
  await journal.close()
  const access = AccessStore.open({ dataDir, checked: true })
  t.match(access.keys(), [{ id: 'alpha', name: 'A fixture', limits: { rate: 5000, dailyQuota: 1_000_000 } }])
  const usage = access.usage('alpha', 0, 0xffff_fffe).flatMap(({ methods }) => [...methods.keys()])
  t.ok(usage.includes('eth_getBalance'))
  await access.close()
  t.equal(
    parseKeyFile(readFileSync(join(dataDir, KEY_FILE), 'utf8')).address?.toString('hex'),
    KEY_FILE.slice(-40),
  )
}

for (const name of fixtureNames().filter((name) => name.startsWith('chain-'))) {
  t.test(`${name} is converted, checked and used`, async (t) => {
    const dataDir = unpack(t, name)
    const migrated = await run('migrate', dataDir)
    t.equal(migrated.code, 0, migrated.stderr)
    await assertWhole(t, dataDir)
    t.match(await run('migrate', dataDir), { code: 0, stdout: 'nothing to convert\n' })
  })
}

t.test('what only reads names the command, writes nothing, and what writes converts by itself', async (t) => {
  const dataDir = unpack(t, 'chain-3')
  const before = readFileSync(join(dataDir, 'pool.journal'))
  for (const command of ['check', 'export', 'key list']) {
    const refused = await run(command, dataDir)
    t.equal(refused.code, 2, command)
    t.match(refused.stderr, /has format \d; this build \(.*\) reads \d: .*`rhizome migrate/, command)
  }
  t.same(readFileSync(join(dataDir, 'pool.journal')), before)
  const imported = await run('import', dataDir, vectorPath('rpc/chain-main.jsonl'))
  t.match(imported, { code: 0, stdout: /head 66/ }, imported.stderr)
  t.match(imported.stderr, /the chain store was converted to a newer format/)
  t.match(await run('check', dataDir), { code: 0, stdout: /^67 blocks/m })
})

const newer: [what: string, plant: (dataDir: string) => unknown, message: string][] = [
  [
    'the chain store',
    (dataDir) => plantFormat(join(dataDir, 'chain'), CHAIN_METADATA, Buffer.from('\x099.8.7')),
    `the chain store has format 9, ${BOTH_VERSIONS}5: run a newer build`,
  ],
  [
    'the access store',
    (dataDir) => plantFormat(join(dataDir, 'access'), 'metadata', Buffer.from('\x099.8.7')),
    `the access store has format 9, ${BOTH_VERSIONS}2: run a newer build`,
  ],
  [
    "the pool's journal",
    (dataDir) => {
      const header = JSON.stringify({ file: 'pool journal', format: 9, program: '9.8.7' })
      writeFileSync(join(dataDir, 'pool.journal'), joinRecords([Buffer.from(header)]))
    },
    `the pool's journal has format 9, ${BOTH_VERSIONS}2: run a newer build`,
  ],
  [
    'the marker of a restore',
    (dataDir) => {
      const marker = JSON.stringify({ format: 9, program: '9.8.7', snapshot: 'aa' })
      writeFileSync(join(dataDir, 'restoring'), marker)
    },
    `the marker of a restore has format 9, ${BOTH_VERSIONS}2: run a newer build`,
  ],
  [
    'the state store',
    (dataDir) => plantStateFormat(dataDir, 9),
    `the state store has format 9; this build (${programVersion()}) reads up to 2: run a newer build`,
  ],
]
for (const [what, plant, message] of newer) {
  t.test(`a newer format of ${what} is refused with both versions, and nothing is converted`, async (t) => {
    const dataDir = unpack(t, 'chain-3')
    await plant(dataDir)
    const untouched = testFolder(t)
    cpSync(dataDir, untouched, { recursive: true })
    const refused = await run('migrate', dataDir)
    t.equal(refused.code, 2, 'as a configuration that cannot be used')
    t.ok(refused.stderr.includes(message), refused.stderr)
    for (const file of ['pool.journal', 'chain/data.mdb', 'access/data.mdb', 'state/data.mdb']) {
      t.same(readFileSync(join(dataDir, file)), readFileSync(join(untouched, file)), file)
    }
  })
}

t.test('whoever opens a newer store refuses it, too', async (t) => {
  const opens: [string, (dataDir: string) => unknown, RegExp][] = [
    ['the chain store', (dataDir) => openChain({ spec: REGTEST, dataDir }), /reads up to 5/],
    [
      'the state store',
      (dataDir) => openChain({ spec: REGTEST, dataDir }),
      /reads up to 2: run a newer build/,
    ],
    ['the access store', (dataDir) => AccessStore.open({ dataDir }), /reads up to 2: run a newer build/],
    ["the pool's journal", (dataDir) => new PoolJournal(join(dataDir, 'pool.journal')), /reads up to 2/],
    ['the marker of a restore', (dataDir) => openChain({ spec: REGTEST, dataDir }), /reads up to 2/],
  ]
  for (const [what, open, message] of opens) {
    const dataDir = unpack(t, 'chain-5')
    await newer.find(([name]) => name === what)?.[1](dataDir)
    t.throws(() => open(dataDir), { message }, what)
  }
})

t.test('formats before the oldest stay refused', async (t) => {
  const dataDir = unpack(t, 'chain-3')
  await plantFormat(join(dataDir, 'chain'), CHAIN_METADATA, Buffer.from([2]))
  for (const command of ['migrate', 'check']) {
    const refused = await run(command, dataDir)
    t.equal(refused.code, 2)
    t.match(refused.stderr, /has format 2; .*use the version that wrote it, or .*import the chain again/)
  }
})

t.test('without room nothing is begun', async (t) => {
  const dataDir = unpack(t, 'chain-3')
  const stores = () => dataDirStores(dataDir)
  await t.rejects(migrateDataDir({ dataDir, stores, freeBytes: () => 1024 * 1024 }), {
    code: 'STORAGE_UNWRITABLE',
    message: /has 1 MiB free, the conversion of its stores takes 17 MiB/,
  })
  t.match(await run('check', dataDir), { code: 2 })
  t.equal((await migrateDataDir({ dataDir, stores })).length, 3)
})

t.test('a directory that another process has is left alone', async (t) => {
  const dataDir = unpack(t, 'chain-5')
  const opened = openChain({ spec: REGTEST, dataDir })
  t.teardown(() => opened.close())
  const refused = await run('migrate', dataDir)
  t.match(refused, { code: 1, stderr: /in use by another process: stop the other node/ })
})

t.test('a snapshot of version 1 is restored, also where an earlier build began it', async (t) => {
  const folder = unpack(t, 'snapshot-1')
  const dataDir = join(testFolder(t), 'data')
  const whole = new FolderSource(folder)
  let given = 0
  const source = {
    name: whole.name,
    manifest: () => whole.manifest(),
    signatures: () => whole.signatures(),
    chunk: (entry: Parameters<typeof whole.chunk>[0]) => {
      given += 1
      if (given > 1) throw new SnapshotError('SNAPSHOT_SOURCE', 'the line is cut')
      return whole.chunk(entry)
    },
  }
  const trust = { kind: 'anyone' } as const
  await t.rejects(restoreSnapshot({ spec: REGTEST, trust, dataDir, source }), { message: /line is cut/ })
  // As the builds without a record left it: the name alone, and no format.
  const marker = join(dataDir, 'restoring')
  const { snapshot } = JSON.parse(readFileSync(marker, 'utf8')) as { snapshot: string }
  writeFileSync(marker, `${snapshot}\n`)
  await plantFormat(join(dataDir, 'chain'), CHAIN_METADATA, null)
  t.match(await run('migrate', dataDir), { code: 0, stdout: /marker of a restore: format 1 to 2/ })
  t.match(JSON.parse(readFileSync(marker, 'utf8')), { format: 2, program: programVersion(), snapshot })
  writeFileSync(marker, `${snapshot}\n`)
  const restored = await run('snapshot restore', dataDir, folder, '--unsigned')
  t.match(restored, { code: 0, stdout: /went on and restored into/ }, restored.stderr)
  t.match(await run('check', dataDir, '--full'), { code: 0, stdout: /^24 blocks/m })
})
