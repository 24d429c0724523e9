import { existsSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { MemberId } from '../../../src/fleet/interface.ts'
import { Fields, pack } from '../../../src/fleet/member/messageFields.ts'
import type { FleetAnswerer, FleetView } from '../../../src/fleet/part.ts'
import {
  OBJECT_NAMES,
  type SnapshotObjects,
  type StoredSnapshot,
} from '../../../src/fleet/snapshots/snapshotObjects.ts'
import { SnapshotWork } from '../../../src/fleet/snapshots/snapshotPart.ts'
import { isSnapshotDue, nextInTurn } from '../../../src/fleet/snapshots/snapshotTurns.ts'
import { createLogger } from '../../../src/observe/logger.ts'
import { SignerKey } from '../../../src/snapshot/blsKeys.ts'
import { SnapshotError } from '../../../src/snapshot/errors.ts'
import { REGTEST } from '../../support/openTestChain.ts'
import { importRecordedChain } from '../../support/recordedDataDir.ts'
import { makeSnapshot } from '../../support/snapshots.ts'
import { testFolder } from '../../support/testFolder.ts'

const SELF = '1'.repeat(16)
const TWO = '2'.repeat(16)
const THREE = '3'.repeat(16)
const KEY = SignerKey.generate(Buffer.alloc(32, 1))

t.test('a snapshot is due so many blocks after the last one', async (t) => {
  const plan = { blocks: 10, depth: 5 }
  t.notOk(isSnapshotDue(plan, 5, undefined), 'a chain without a block so deep')
  t.ok(isSnapshotDue(plan, 6, undefined))
  t.notOk(isSnapshotDue(plan, 114, { number: 100 }))
  t.ok(isSnapshotDue(plan, 115, { number: 100 }))
  t.notOk(isSnapshotDue({ ...plan, blocks: 0 }, 1000, undefined), 'never')
})

t.test('members take turns', async (t) => {
  t.equal(nextInTurn([THREE, SELF, TWO], SELF), TWO)
  t.equal(nextInTurn([THREE, SELF, TWO], THREE), SELF)
  t.equal(nextInTurn([THREE, SELF], TWO), THREE, 'one that has gone')
  t.equal(nextInTurn([TWO], null), TWO)
  t.equal(nextInTurn([], TWO), null)
})

/** Objects in memory. */
function memoryObjects(room = 1_000_000_000) {
  const values = new Map<string, Buffer>()
  const snapshots: StoredSnapshot[] = []
  const objects = {
    list: async () => snapshots,
    read: async (name: string) => values.get(name) ?? null,
    write: async (name: string, bytes: Buffer) => void values.set(name, bytes),
    clear: async () => undefined,
    room: async () => room,
  } as unknown as SnapshotObjects
  return { objects, values, snapshots }
}

interface Scene {
  readonly room?: number
  readonly view?: Partial<FleetView>
  readonly key?: SignerKey | null
  readonly blocks?: number
  readonly check?: () => Promise<void>
  /** What other members answer; others are away. */
  readonly busy?: Readonly<Record<MemberId, boolean>>
}

async function openWork(t: Test, scene: Scene = {}) {
  const { room, view, key = KEY, blocks = 10, busy = {}, check = async () => undefined } = scene
  const folder = testFolder(t)
  await importRecordedChain(join(folder, 'chain'))
  const made = await makeSnapshot({
    ...{ spec: REGTEST, dataDir: join(folder, 'chain'), folder: join(folder, 'made'), depth: 2 },
  })
  const memory = memoryObjects(room)
  const asked: string[] = []
  const counts: Record<string, number> = {}
  let answer: FleetAnswerer = async () => Buffer.alloc(0)
  const work = new SnapshotWork(
    {
      blocks,
      depth: 2,
      interval: 2 ** 30,
      readKey: async () => key,
      withObjects: (_, use) => use(memory.objects),
      jobs: {
        create: (into) => cp(join(folder, 'made'), into, { recursive: true }),
        check,
      },
    },
    key,
    {
      calls: {
        serve: (_, answerer) => {
          answer = answerer
          return () => undefined
        },
        call: async (member, { payload }) => {
          const isToMake = Fields.unpack(payload, 100).flag()
          asked.push(`${member[0]}${isToMake ? ' make' : ''}`)
          const isBusy = busy[member]
          if (isBusy === undefined) throw new Error('away')
          return pack([isBusy])
        },
      },
      view: {
        self: SELF,
        absence: null,
        isLeader: true,
        head: { number: 100 },
        serving: [SELF, TWO, THREE],
        ...view,
      } as FleetView,
      list: () => memory.objects.list(),
      fleet: 'test',
      dataDir: join(folder, 'data'),
      log: createLogger({ level: 'silent', format: 'json' }),
      count: (name) => {
        counts[name] = (counts[name] ?? 0) + 1
      },
    },
  )
  t.teardown(() => work.stop())
  const stored: StoredSnapshot = { id: made.id, number: made.manifest.block.number, maker: TWO, signers: [] }
  const workFolder = join(folder, 'data/fleet-snapshot')
  return {
    work,
    asked,
    counts,
    ...memory,
    made,
    stored,
    workFolder,
    answer: (bytes: Buffer) => answer(bytes),
  }
}

t.test('the leader asks the next member in turn, and nobody while one is at work', async (t) => {
  const { work, asked, snapshots } = await openWork(t, { key: null, busy: { [TWO]: false, [THREE]: false } })
  snapshots.push({ id: 'aa'.repeat(32), number: 50, maker: TWO, signers: [] })
  await work.look()
  t.strictSame(asked, ['2', '3', '3 make'])
  snapshots[0] = { id: 'aa'.repeat(32), number: 95, maker: TWO, signers: [] }
  await work.look()
  t.equal(asked.length, 3, 'none is due')

  const busy = await openWork(t, { key: null, busy: { [TWO]: true, [THREE]: false } })
  await busy.work.look()
  t.strictSame(busy.asked, ['2'])

  const follower = await openWork(t, { key: null, view: { isLeader: false }, busy: { [TWO]: false } })
  await follower.work.look()
  t.strictSame(follower.asked, [])
})

t.test('a member makes one, signs it, and leaves nothing behind', async (t) => {
  const { answer, work, values, made, counts, workFolder } = await openWork(t, { key: KEY })
  t.notOk(Fields.unpack(await answer(pack([false])), 100).flag(), 'it has nothing to do')
  await answer(pack([true]))
  t.ok(Fields.unpack(await answer(pack([true])), 100).flag(), 'it is at work')
  await work.idle()
  const { id, manifest } = made
  const { number } = manifest.block
  t.strictSame(
    [...values.keys()].sort(),
    [
      ...manifest.chunks.map(({ hash }) => OBJECT_NAMES.chunk(id, hash)),
      OBJECT_NAMES.manifest({ id, number, maker: SELF }),
      OBJECT_NAMES.signature(id, KEY.publicKey),
    ].sort(),
  )
  t.equal(counts['snapshotsMade'], 1)
  t.notOk(existsSync(workFolder))
})

t.test('a store without room', async (t) => {
  const { answer, work, values, counts } = await openWork(t, { room: 1000 })
  await answer(pack([true]))
  await work.idle()
  t.equal(values.size, 0)
  t.equal(counts['snapshotFailures'], 1)
})

t.test('a member signs what it has checked, once', async (t) => {
  const maker = await openWork(t)
  await maker.answer(pack([true]))
  await maker.work.idle()
  let checks = 0
  const { work, values, snapshots, stored, counts } = await openWork(t, {
    view: { isLeader: false },
    check: async () => {
      checks += 1
    },
  })
  for (const [name, bytes] of maker.values) if (!name.startsWith('signature')) values.set(name, bytes)
  values.set(
    OBJECT_NAMES.manifest(stored),
    maker.values.get(OBJECT_NAMES.manifest({ ...stored, maker: SELF })) as Buffer,
  )
  snapshots.push(stored)
  await work.look()
  await work.idle()
  t.equal(counts['snapshotsSigned'], 1)
  t.ok(values.has(OBJECT_NAMES.signature(stored.id, KEY.publicKey)))
  snapshots[0] = { ...stored, signers: [KEY.publicKey] }
  await work.look()
  await work.idle()
  t.equal(checks, 1)
})

t.test('a member that finds something else signs nothing, and does not look at it again', async (t) => {
  const maker = await openWork(t)
  await maker.answer(pack([true]))
  await maker.work.idle()
  const wrongs: readonly [string, Partial<StoredSnapshot>, (() => Promise<void>) | undefined][] = [
    ['another chain', {}, () => Promise.reject(new SnapshotError('SNAPSHOT_CHAIN', 'another block'))],
    ['another height than its name says', { number: 1 }, undefined],
    ['another manifest than its name says', { id: 'aa'.repeat(32) }, undefined],
  ]
  for (const [name, change, check] of wrongs) {
    const scene = { view: { isLeader: false }, ...(check === undefined ? {} : { check }) }
    const { work, values, snapshots, stored, counts } = await openWork(t, scene)
    for (const [object, bytes] of maker.values) if (!object.startsWith('signature')) values.set(object, bytes)
    const wrong = { ...stored, ...change }
    values.set(
      OBJECT_NAMES.manifest(wrong),
      maker.values.get(OBJECT_NAMES.manifest({ ...stored, maker: SELF })) as Buffer,
    )
    snapshots.push(wrong)
    for (let look = 0; look < 2; look += 1) {
      await work.look()
      await work.idle()
    }
    t.equal(counts['snapshotsRefused'], 1, name)
    t.notOk([...values.keys()].some((object) => object.startsWith('signature')))
  }
})

t.test('a member that does not serve does nothing', async (t) => {
  const { work, asked } = await openWork(t, { view: { absence: 'joining' }, busy: { [TWO]: false } })
  await work.look()
  t.strictSame(asked, [])
})
