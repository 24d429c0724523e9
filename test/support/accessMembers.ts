import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { AccessPart } from '../../src/fleet/access/accessPart.ts'
import { KeyBucket } from '../../src/fleet/access/keyBucket.ts'
import { askUsage, type SumSource, settleUsage } from '../../src/fleet/access/usageSums.ts'
import type { MemberId } from '../../src/fleet/interface.ts'
import { MemberCalls } from '../../src/fleet/nats/calls.ts'
import { FleetNames } from '../../src/fleet/nats/names.ts'
import { connectFleet, type FleetConnection } from '../../src/fleet/nats/natsConnection.ts'
import { initFleet, openBucket } from '../../src/fleet/nats/provision.ts'
import type { FleetPartContext, FleetView } from '../../src/fleet/part.ts'
import { createLogger } from '../../src/observe/logger.ts'
import { AccessStore } from '../../src/storage/access/accessStore.ts'
import type { DayUsage } from '../../src/storage/access/usageRecord.ts'
import { NATS_USER, type NatsCluster } from './natsServer.ts'

const FLEET = 'test'
const SILENCE = 1000
const MEBIBYTE = 1024 * 1024

/** Sizes of streams and buckets that a small disk has. */
const SMALL = {
  log: 8 * MEBIBYTE,
  blocks: 8 * MEBIBYTE,
  usage: 8 * MEBIBYTE,
  work: 4 * MEBIBYTE,
  members: 4 * MEBIBYTE,
  state: 4 * MEBIBYTE,
  keys: 8 * MEBIBYTE,
  quota: 8 * MEBIBYTE,
  snapshots: 8 * MEBIBYTE,
} as const

export interface AccessMembersOptions {
  readonly timezone?: string
  /** Length of the lease, milliseconds. */
  readonly lease?: number
}

/** Waits until something holds. @throws Error when that takes too long */
export async function until(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (let look = 0; look < 600; look += 1) {
    if (await holds()) return
    await sleep(25)
  }
  throw new Error(`it never came to be: ${what}`)
}

/** Keys, quotas and usage of members, without nodes: who leads is said by the test. */
export class AccessMembers {
  readonly names = new FleetNames(FLEET)
  readonly cluster: NatsCluster
  readonly members: AccessMember[] = []
  leader: MemberId | null = null
  epoch = 0
  readonly #options: AccessMembersOptions

  private constructor(cluster: NatsCluster, options: AccessMembersOptions) {
    this.cluster = cluster
    this.#options = options
  }

  /** Creates the streams of a fleet. */
  static async create(cluster: NatsCluster, options: AccessMembersOptions = {}): Promise<AccessMembers> {
    const fleet = new AccessMembers(cluster, options)
    const connection = await fleet.connect('init')
    await initFleet(connection.nats, fleet.names, { replicas: cluster.servers.length, bytes: SMALL })
    await connection.close()
    return fleet
  }

  connect(name: string): Promise<FleetConnection> {
    return connectFleet({
      servers: this.cluster.urls,
      ...NATS_USER,
      credentials: null,
      ca: null,
      cert: null,
      key: null,
      name,
      silence: SILENCE,
    })
  }

  /** Another member, or one that was there before, on a data directory. */
  async start(
    dataDir: string,
    id: MemberId = randomBytes(8).toString('hex'),
    options: AccessMembersOptions = this.#options,
  ): Promise<AccessMember> {
    const member = await AccessMember.start(this, dataDir, id, options)
    this.members.push(member)
    return member
  }

  elect(leader: AccessMember | null): void {
    this.leader = leader?.id ?? null
    this.epoch += 1
  }

  /** Keys as commands have them, over a connection of their own. */
  async openKeys(): Promise<{
    readonly keys: KeyBucket
    readonly connection: FleetConnection
    close(): Promise<void>
  }> {
    const connection = await this.connect('command')
    const keys = new KeyBucket(await openBucket(connection.nats, this.names.keys))
    return { keys, connection, close: () => connection.close() }
  }

  async stop(): Promise<void> {
    await Promise.all(this.members.map((member) => member.stop()))
  }
}

/** One member. */
export class AccessMember {
  readonly id: MemberId
  readonly store: AccessStore
  readonly part: AccessPart
  readonly counts = new Map<string, number>()
  /** Times that the front thread was told to look at its keys. */
  told = 0
  readonly #connection: FleetConnection
  readonly #calls: MemberCalls
  #isStopped = false

  private constructor(
    id: MemberId,
    store: AccessStore,
    part: AccessPart,
    connection: FleetConnection,
    calls: MemberCalls,
  ) {
    this.id = id
    this.store = store
    this.part = part
    this.#connection = connection
    this.#calls = calls
  }

  static async start(
    fleet: AccessMembers,
    dataDir: string,
    id: MemberId,
    { timezone = 'UTC', lease = 3000 }: AccessMembersOptions,
  ): Promise<AccessMember> {
    const connection = await fleet.connect(id)
    const calls = new MemberCalls({ connection, names: fleet.names, self: id })
    const part = new AccessPart({ timezone, lease, now: () => performance.now(), wall: Date.now })
    const store = AccessStore.open({ dataDir, fleet: true })
    const member = new AccessMember(id, store, part, connection, calls)
    connection.onEvent(({ kind }) => {
      if (kind === 'connected') part.reconnected()
    })
    try {
      await part.start(member.#context(fleet, dataDir, await jetstreamManager(connection.nats)))
    } catch (error) {
      await member.stop()
      throw error
    }
    return member
  }

  /** Usage of a key on a day, as it is told to those who ask this member. @throws CallRefusal */
  async toldUsage(id: string, day: number): Promise<DayUsage[]> {
    const calls: SumSource['calls'] = {
      call: (to, { service, payload, milliseconds, mostBytes }) =>
        this.#calls.call(to, service, payload, { milliseconds, limit: mostBytes }),
    }
    const source = { calls, member: this.id }
    await settleUsage(source)
    return askUsage(source, id, day, day)
  }

  async stop(): Promise<void> {
    if (this.#isStopped) return
    this.#isStopped = true
    await this.part.stop()
    this.#calls.close()
    await this.#connection.close()
    await this.store.close()
  }

  #context(
    fleet: AccessMembers,
    dataDir: string,
    manager: Awaited<ReturnType<typeof jetstreamManager>>,
  ): FleetPartContext {
    const { id } = this
    const calls = this.#calls
    const view: FleetView = {
      self: id,
      number: 1,
      head: null,
      absence: null,
      get leader() {
        return fleet.leader
      },
      get epoch() {
        return fleet.epoch
      },
      get isLeader() {
        return fleet.leader === id
      },
      get serving() {
        return fleet.members.filter((member) => !member.#isStopped).map((member) => member.id)
      },
      memberOf: () => null,
      onChange: () => () => undefined,
    }
    const unused = async () => {
      throw new Error('no part of this test')
    }
    return {
      connection: this.#connection.nats,
      jetstream: jetstream(this.#connection.nats),
      manager,
      fleet: fleet.names.fleet,
      calls: {
        serve: (service, answer) => calls.serve(service, (payload) => answer(payload), { concurrency: 16 }),
        call: (member, { service, payload, milliseconds, mostBytes }) =>
          calls.call(member, service, payload, { milliseconds, limit: mostBytes }),
      },
      view,
      chain: new Proxy({} as FleetPartContext['chain'], { get: () => unused }),
      front: {
        hold: unused,
        ping: unused,
        answer: async () => {
          this.told += 1
          return Buffer.alloc(0)
        },
      },
      dataDir,
      log: createLogger({ level: 'silent', format: 'json' }),
      count: (name, by = 1) => this.counts.set(name, (this.counts.get(name) ?? 0) + by),
    }
  }
}
