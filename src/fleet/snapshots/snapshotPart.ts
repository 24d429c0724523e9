import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { SignerKey } from '../../snapshot/blsKeys.ts'
import { messageOf, SnapshotError } from '../../snapshot/errors.ts'
import { FolderSource } from '../../snapshot/folderSource.ts'
import { chunkFile, MANIFEST_FILE, parseManifest } from '../../snapshot/manifest.ts'
import { formatSignatures } from '../../snapshot/signatureFile.ts'
import { makeFolder } from '../../util/makeFolder.ts'
import { FleetError } from '../errors.ts'
import type { MemberId } from '../interface.ts'
import { Fields, pack } from '../member/messageFields.ts'
import { FleetNames } from '../nats/names.ts'
import type { FleetPart, FleetPartContext } from '../part.ts'
import { FleetSource } from './fleetSource.ts'
import { OBJECT_NAMES, SnapshotObjects, type StoredSnapshot } from './snapshotObjects.ts'
import { isSnapshotDue, nextInTurn, type SnapshotPlan } from './snapshotTurns.ts'

/** Asks a member whether it is at work on a snapshot, and to make one (fleet.md §10). */
export const SNAPSHOT_SERVICE = 'snapshot'
const CALL = { milliseconds: 5000, mostBytes: 4096 } as const
/** Time between two looks at what there is, milliseconds. */
const LOOK_INTERVAL = 10_000
/** Folder of the data directory in which snapshots are made and checked; nothing of it is kept. */
const WORK_FOLDER = 'fleet-snapshot'
/** What an object takes in the store beside its bytes, at most. */
const OBJECT_OVERHEAD = 4096

/** Work with snapshots that takes long, outside of the threads of a node. */
export interface SnapshotJobs {
  /** Makes a snapshot of this member's chain. @throws SnapshotError */
  create(folder: string, signal: AbortSignal): Promise<void>
  /** Checks all of a snapshot, and that its block and state are those of this chain. @throws SnapshotError */
  check(folder: string, signal: AbortSignal): Promise<void>
}

export interface SnapshotPartOptions extends SnapshotPlan {
  readonly jobs: SnapshotJobs
  /** Milliseconds between two looks at what there is. */
  readonly interval?: number
  /** Signs what this member made or checked; null for a member that signs nothing. @throws FleetError */
  readKey(): Promise<SignerKey | null>
  /** A connection of its own: chunks must not wait before renewals of the lease. */
  withObjects<T>(names: FleetNames, work: (objects: SnapshotObjects) => Promise<T>): Promise<T>
}

/**
 * Snapshots of a fleet (fleet.md §9): the leader has members make them in turn; each member with a key signs what it
 * has checked against its own chain.
 */
export class SnapshotPart implements FleetPart {
  readonly name = 'snapshots'
  readonly #options: SnapshotPartOptions
  #running: SnapshotWork | null = null

  constructor(options: SnapshotPartOptions) {
    this.#options = options
  }

  async start(context: FleetPartContext): Promise<void> {
    const objects = await SnapshotObjects.open(context.connection, new FleetNames(context.fleet))
    const list = () => objects.list()
    this.#running = new SnapshotWork(this.#options, await this.#options.readKey(), { ...context, list })
  }

  async stop(): Promise<void> {
    await this.#running?.stop()
    this.#running = null
  }
}

/** What the part needs of its context. */
type Ports = Pick<FleetPartContext, 'calls' | 'view' | 'fleet' | 'dataDir' | 'log' | 'count'> &
  Pick<SnapshotObjects, 'list'>

/** The part at work. */
export class SnapshotWork {
  readonly #options: SnapshotPartOptions
  readonly #key: SignerKey | null
  readonly #ports: Ports
  readonly #names: FleetNames
  readonly #folder: string
  readonly #end: () => void
  readonly #timer: NodeJS.Timeout
  readonly #stop = new AbortController()
  /** Snapshots that this member does not sign. */
  #refused = new Set<string>()
  #looking: Promise<void> | null = null
  #job: Promise<void> | null = null
  /** Who was asked last to make one. */
  #asked: MemberId | null = null

  constructor(options: SnapshotPartOptions, key: SignerKey | null, ports: Ports) {
    this.#options = options
    this.#key = key
    this.#ports = ports
    this.#names = new FleetNames(ports.fleet)
    this.#folder = join(ports.dataDir, WORK_FOLDER)
    this.#end = ports.calls.serve(SNAPSHOT_SERVICE, async (payload) => this.#answer(payload))
    this.#timer = setInterval(() => void this.look(), options.interval ?? LOOK_INTERVAL)
  }

  async stop(): Promise<void> {
    this.#end()
    clearInterval(this.#timer)
    this.#stop.abort()
    await this.#looking
    await this.#job
  }

  /** Looks at what there is and begins what is to be done; resolves when that has begun. */
  look(): Promise<void> {
    const isIdle = this.#options.blocks === 0 && this.#key === null
    if (isIdle || this.#stop.signal.aborted || this.#ports.view.absence !== null) return Promise.resolve()
    this.#looking ??= this.#look()
      .catch((error: unknown) => this.#ports.log.warn({ err: error }, 'snapshots of the fleet'))
      .finally(() => {
        this.#looking = null
      })
    return this.#looking
  }

  /** Resolves when nothing is made or checked any more. */
  async idle(): Promise<void> {
    await this.#job
  }

  async #look(): Promise<void> {
    const { blocks } = this.#options
    const key = this.#key
    if (this.#job !== null) return
    const snapshots = await this.#ports.list()
    this.#refused = new Set(snapshots.map(({ id }) => id).filter((id) => this.#refused.has(id)))
    const [newest] = snapshots
    if (this.#ports.view.isLeader && blocks > 0) await this.#assign(newest)
    const isWanted = newest !== undefined && key !== null && !newest.signers.includes(key.publicKey)
    if (isWanted && !this.#refused.has(newest.id)) this.#begin(() => this.#sign(newest, key))
  }

  async #assign(newest: StoredSnapshot | undefined): Promise<void> {
    const { view, log } = this.#ports
    if (!isSnapshotDue(this.#options, view.head?.number ?? 0, newest)) return
    const able: MemberId[] = []
    for (const member of view.serving) {
      const isBusy = await this.#ask(member, false)
      // One is enough, also where an earlier leader has asked for it.
      if (isBusy === true) return
      if (isBusy === false) able.push(member)
    }
    const chosen = nextInTurn(able, this.#asked ?? newest?.maker ?? null)
    this.#asked = chosen
    if (chosen === null) return
    log.info({ member: chosen }, 'a member is to make a snapshot')
    await this.#ask(chosen, true)
  }

  /** Whether a member is at work on a snapshot; null when it does not say. */
  async #ask(member: MemberId, isToMake: boolean): Promise<boolean | null> {
    const { calls, view } = this.#ports
    const payload = pack([isToMake])
    try {
      const answer =
        member === view.self
          ? this.#answer(payload)
          : await calls.call(member, { service: SNAPSHOT_SERVICE, payload, ...CALL })
      return Fields.unpack(answer, CALL.mostBytes).flag()
    } catch {
      return null
    }
  }

  #answer(payload: Buffer): Buffer {
    const isToMake = Fields.unpack(payload, CALL.mostBytes).flag()
    const isBusy = this.#job !== null
    if (isToMake && !isBusy) this.#begin(() => this.#make())
    return pack([isBusy])
  }

  #begin(work: () => Promise<void>): void {
    const { log, count } = this.#ports
    if (this.#job !== null || this.#stop.signal.aborted) return
    this.#job = this.#inFolder(work)
      .catch((error: unknown) => {
        if (this.#stop.signal.aborted) return
        count('snapshotFailures')
        log.warn({ err: error }, 'a snapshot of the fleet failed')
      })
      .finally(() => {
        this.#job = null
      })
  }

  async #inFolder(work: () => Promise<void>): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true })
    try {
      await work()
    } finally {
      await rm(this.#folder, { recursive: true, force: true })
    }
  }

  async #make(): Promise<void> {
    const { jobs, withObjects } = this.#options
    const { log, count, view } = this.#ports
    await jobs.create(this.#folder, this.#stop.signal)
    const source = new FolderSource(this.#folder)
    const { id, manifest, bytes } = parseManifest(await source.manifest())
    await withObjects(this.#names, async (objects) => {
      await objects.clear()
      const objectBytes = manifest.chunks.map(({ packedSize }) => packedSize + OBJECT_OVERHEAD)
      const needed = objectBytes.reduce((sum, size) => sum + size, bytes.length + OBJECT_OVERHEAD)
      const room = await objects.room()
      if (needed > room) {
        const advice = 'a fleet that is created with a larger --snapshots-bytes has it'
        throw new FleetError(
          'NoRoom',
          `the snapshot takes ${needed} bytes, the store has room for ${room}: ${advice}`,
        )
      }
      for (const entry of manifest.chunks) {
        this.#stop.signal.throwIfAborted()
        await objects.write(OBJECT_NAMES.chunk(id, entry.hash), await source.chunk(entry))
      }
      const { number } = manifest.block
      await objects.write(OBJECT_NAMES.manifest({ id, number, maker: view.self }), bytes)
      if (this.#key !== null) await writeSignature(objects, id, this.#key)
    })
    count('snapshotsMade')
    log.info({ snapshot: id, block: manifest.block.number }, 'a snapshot for new members is made')
  }

  async #sign(snapshot: StoredSnapshot, key: SignerKey): Promise<void> {
    const { jobs, withObjects } = this.#options
    const { log, count } = this.#ports
    const { id, number } = snapshot
    await withObjects(this.#names, async (objects) => {
      try {
        await this.#fetch(objects, snapshot)
        await jobs.check(this.#folder, this.#stop.signal)
      } catch (error) {
        if (!(error instanceof SnapshotError) || error.code === 'SNAPSHOT_INTERRUPTED') throw error
        this.#refused.add(id)
        count('snapshotsRefused')
        log.warn(
          { snapshot: id, block: number, reason: messageOf(error) },
          'a snapshot of the fleet is not signed',
        )
        return
      }
      await writeSignature(objects, id, key)
      count('snapshotsSigned')
      log.info({ snapshot: id, block: number }, 'a snapshot of another member is checked and signed')
    })
  }

  /** Brings a snapshot into the folder. */
  async #fetch(objects: SnapshotObjects, snapshot: StoredSnapshot): Promise<void> {
    const source = new FleetSource(objects, snapshot, new Set())
    const { id, manifest, bytes } = parseManifest(await source.manifest())
    if (id !== snapshot.id || manifest.block.number !== snapshot.number)
      throw new SnapshotError('SNAPSHOT_MANIFEST', `${source.name} is another one than its name says`)
    makeFolder(this.#folder)
    for (const entry of manifest.chunks) {
      this.#stop.signal.throwIfAborted()
      await writeFile(join(this.#folder, chunkFile(entry)), await source.chunk(entry))
    }
    await writeFile(join(this.#folder, MANIFEST_FILE), bytes)
  }
}

async function writeSignature(objects: SnapshotObjects, id: string, key: SignerKey): Promise<void> {
  const signatures = { snapshot: id, signers: [key.publicKey], signature: key.sign(id) }
  await objects.write(OBJECT_NAMES.signature(id, key.publicKey), Buffer.from(formatSignatures(signatures)))
}
