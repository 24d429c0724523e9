import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { FleetNames } from '../../src/fleet/nats/names.ts'
import { connectFleet } from '../../src/fleet/nats/natsConnection.ts'
import { chooseSnapshot, FleetSource } from '../../src/fleet/snapshots/fleetSource.ts'
import {
  OBJECT_NAMES,
  SnapshotObjects,
  type StoredSnapshot,
} from '../../src/fleet/snapshots/snapshotObjects.ts'
import { SignerKey } from '../../src/snapshot/blsKeys.ts'
import { formatManifest, parseManifest } from '../../src/snapshot/manifest.ts'
import { parseSignatures } from '../../src/snapshot/signatureFile.ts'
import { writeSignerKey } from '../../src/snapshot/signerKeyFile.ts'
import { trustFrom } from '../../src/snapshot/snapshotTrust.ts'
import { startCommand } from '../support/cli.ts'
import { NATS_SKIP } from '../support/natsServer.ts'
import { TestBuild } from '../support/testBuild.ts'
import { askPatiently } from './cluster/askPatiently.ts'
import { MemberProcess } from './cluster/memberProcess.ts'
import { FLEET_NAME, fleetArguments, TestFleet } from './cluster/testFleet.ts'
import { connectionTo } from './support/connections.ts'

/** Looks again so often, two minutes of them. */
const LOOKS = 1200
const LOOK_MS = 100
const READY_MS = 60_000
const PASSPHRASE = 'of a test'
/** No work for scrypt in a test. */
const LITTLE = { n: 2, r: 8, p: 1 }

const [ADA, BOB, EVE] = [1, 2, 9].map((seed) => SignerKey.generate(Buffer.alloc(32, seed))) as [
  SignerKey,
  SignerKey,
  SignerKey,
]
const textOf = (key: SignerKey) => `${key.publicKey}:${key.prove()}`

t.test(
  'members make and sign a snapshot, from which a new member starts',
  { skip: NATS_SKIP, timeout: 900_000 },
  async (t) => {
    const folder = t.testdir()
    const build = await TestBuild.create()
    t.teardown(() => rmSync(build.folder, { recursive: true, force: true }))
    const program = join(build.folder, 'dist/cli/main.js')
    const fleet = await TestFleet.start({ folder, members: 1, started: 0, servers: 1, program })
    t.teardown(() => fleet.close())
    const { servers } = fleet
    if (servers === null) throw new Error('no servers')
    const passphrase = join(folder, 'passphrase')
    writeFileSync(passphrase, `${PASSPHRASE}\n`)
    const common = [
      ...['--no-page', '--workers', '1', '--block-time', '1', '--finalized-distance', '3'],
      ...[...fleetArguments(servers), '--fleet-snapshot-blocks', '1000000'],
    ]
    const create = async (member: number, args: readonly string[]) => {
      const dataDir = join(folder, `member-${member}`)
      const all = [...common, '--fleet-member', `m${member}`, ...args]
      const created = await MemberProcess.create({
        ...{ member, dataDir, args: all, program },
        path: () => '',
        clock: null,
      })
      t.teardown(() => created.end('SIGKILL'))
      return created
    }
    const members: MemberProcess[] = []
    for (const [at, key] of [ADA, BOB].entries()) {
      const file = join(folder, `key-${at}.json`)
      await writeSignerKey(file, key, PASSPHRASE, LITTLE)
      const args = ['--fleet-signer-key', file, '--fleet-signer-passphrase', passphrase]
      const member = await create(at, args)
      await member.start()
      await member.untilReady(READY_MS)
      members.push(member)
    }
    const [first] = members as [MemberProcess, MemberProcess]

    const connection = await connectFleet(connectionTo(servers.urls))
    t.teardown(() => connection.close())
    const objects = await SnapshotObjects.open(connection.nats, new FleetNames(FLEET_NAME))
    await until('both members have signed a snapshot', members, async () =>
      (await objects.list()).some(({ signers }) => signers.length === 2),
    )
    const [snapshot] = (await objects.list()) as [StoredSnapshot]
    t.strictSame([...snapshot.signers].sort(), [ADA.publicKey, BOB.publicKey].sort())

    const status = await startCommand(['fleet', 'status', ...fleetArguments(servers)], [], [program]).done
    const row = new RegExp(`^${snapshot.number} +m[01] +2 +${snapshot.id.slice(0, 10)}$`, 'm')
    t.match(status.stdout, row, '`fleet status` shows it')

    t.comment('what others would be given')
    const both = trustFrom([textOf(ADA), textOf(BOB)], 2)
    const source = await chooseSnapshot(objects, both, null)
    const signatures = parseSignatures((await source.signatures()) ?? Buffer.alloc(0))
    t.equal(signatures.snapshot, snapshot.id)
    t.equal(signatures.signers.length, 2)
    await t.rejects(chooseSnapshot(objects, trustFrom([textOf(ADA), textOf(EVE)], 2), null), {
      code: 'SNAPSHOT_SOURCE',
      message: `no snapshot with 2 signatures of trusted keys: that of block ${snapshot.number} has 1`,
    })
    await t.rejects(chooseSnapshot(objects, both, '00'.repeat(32)), { message: /no longer in the fleet/ })

    t.comment('a new member')
    const started = await create(2, [
      ...['--bootstrap', 'fleet', '--snapshot-keys', `${textOf(ADA)},${textOf(BOB)}`, '--log-level', 'info'],
    ])
    await started.start()
    await started.untilReady(READY_MS)
    t.match(started.output, 'the snapshot is restored')
    const hex = `0x${snapshot.number.toString(16)}`
    const [own, others] = await Promise.all(
      [started, first].map(({ url }) =>
        askPatiently<{ hash: string }>(url, 'eth_getBlockByNumber', [hex, false]),
      ),
    )
    t.match(own?.hash, /^0x[0-9a-f]{64}$/)
    t.equal(own?.hash, others?.hash)

    t.comment('a snapshot that says what is not so is signed by nobody')
    const planted = await plant(objects, snapshot)
    await until('a member refuses it', members, async () =>
      members.every(({ output }) => output.includes('is not signed')),
    )
    for (const { output } of members)
      t.match(output, `the state after block ${snapshot.number} is`, 'it says why')
    const left = (await objects.list()).find(({ id }) => id === planted)
    t.strictSame(left?.signers, [])

    t.comment('the store is bounded')
    await objects.clear()
    t.strictSame(
      (await objects.list()).map(({ id }) => id).sort(),
      [planted, snapshot.id].sort(),
      'the newest one and the one that is signed stay',
    )
    await objects.write(OBJECT_NAMES.chunk('ee'.repeat(32), 'dd'.repeat(32)), Buffer.alloc(10))
    await objects.clear()
    const orphan = OBJECT_NAMES.chunk('ee'.repeat(32), 'dd'.repeat(32))
    t.equal(await objects.read(orphan, 100), null, 'pieces of a snapshot that was never finished go')
    await t.rejects(objects.read(OBJECT_NAMES.manifest(snapshot), 10), { code: 'TooLarge' })
    for (const member of [...members, started]) await member.end('SIGTERM')
  },
)

/** Adds a snapshot with another state root, which comes first in the order. @returns its id */
async function plant(objects: SnapshotObjects, snapshot: StoredSnapshot): Promise<string> {
  const { manifest } = parseManifest(await new FleetSource(objects, snapshot, new Set()).manifest())
  for (let attempt = 0; ; attempt += 1) {
    const created = new Date(attempt).toISOString()
    const bytes = Buffer.from(formatManifest({ ...manifest, stateRoot: 'ab'.repeat(32), created }))
    const { id } = parseManifest(bytes)
    if (id > snapshot.id) continue
    for (const { hash, packedSize } of manifest.chunks) {
      const chunk = await objects.read(OBJECT_NAMES.chunk(snapshot.id, hash), packedSize)
      await objects.write(OBJECT_NAMES.chunk(id, hash), chunk ?? Buffer.alloc(0))
    }
    await objects.write(OBJECT_NAMES.manifest({ ...snapshot, id }), bytes)
    return id
  }
}

/** @throws Error with what members printed when that does not become so */
async function until(
  what: string,
  members: readonly MemberProcess[],
  is: () => Promise<boolean>,
): Promise<void> {
  for (let look = 0; look < LOOKS; look += 1) {
    if (await is()) return
    await sleep(LOOK_MS)
  }
  throw new Error(`not so: ${what}\n${members.map(({ output }) => output.slice(-4000)).join('\n')}`)
}
