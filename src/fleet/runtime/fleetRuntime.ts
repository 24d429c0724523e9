import { type JetStreamManager, jetstreamManager, jetstream as openJetstream } from '@nats-io/jetstream'
import type { ChainStoreReader } from '../../chain/chainStoreReader.ts'
import type { NetworkSpec } from '../../config/networkSpec.ts'
import type { Logger } from '../../observe/logger.ts'
import { createScheduler } from '../../p2p/peers/scheduler.ts'
import type { SignerKey } from '../../snapshot/blsKeys.ts'
import type { ChainEnvironment } from '../../storage/chainEnvironment.ts'
import { FleetError } from '../errors.ts'
import type {
  FleetChainEvent,
  FleetChainService,
  FleetFrontEvent,
  FleetFrontService,
  FleetStatus,
  MemberId,
  SharedLease,
} from '../interface.ts'
import type { OwnLeaseEvent } from '../lease/lease.ts'
import { renewalInterval } from '../lease/leaseTimes.ts'
import { LogStability } from '../log/logStability.ts'
import { LogStream } from '../log/logStream.ts'
import { NatsStabilityBus } from '../log/natsStability.ts'
import { createSharedLog } from '../log/sharedLog.ts'
import { FleetMember, type MemberFacts, type MemberTimes } from '../member/fleetMember.ts'
import { MemberCalls } from '../nats/calls.ts'
import { FleetNames } from '../nats/names.ts'
import { connectFleet, type FleetConnection, type FleetConnectionOptions } from '../nats/natsConnection.ts'
import { bucketOf, checkResources } from '../nats/provision.ts'
import type { FleetPart, FleetPartContext } from '../part.ts'
import { createSignatureBook, type HeadTrust } from '../quorum/blsSignatures.ts'
import type { SignatureBook } from '../quorum/signatureBook.ts'
import { describeWait, WaitWatch } from '../quorum/signatureWait.ts'
import { BlockExchange } from './blockExchange.ts'
import { createView, othersThatServe, othersToAsk } from './fleetView.ts'
import { MemberIdentity } from './memberIdentity.ts'
import { MemberLog } from './memberLog.ts'
import { NatsMemberBus, serveMembers } from './memberServices.ts'
import { firstHeld, Membership } from './membership.ts'
import { assertSameChain } from './sameChain.ts'
import { assertSamePool, type FleetPoolOptions } from './samePool.ts'
import { composeStatus } from './status.ts'

/** The log is given so long to take what a client sent, times the lease. */
const PUBLISH_LEASES = 2
/** Members are given so long to apply it, times the lease: one that is cut off is left out earlier (fleet.md §2). */
const STABLE_LEASES = 3
const DRAIN_POLL = 20
const PART_CALLS_AT_ONCE = 64

/** What a fleet runs with. */
export interface FleetRuntimeOptions {
  readonly connection: FleetConnectionOptions
  readonly fleet: string
  /** Name of this member. */
  readonly name: string
  readonly version: string
  readonly dataDir: string
  readonly times: MemberTimes
  readonly pool: FleetPoolOptions
  readonly heads: HeadTrust
}

/** What a {@link FleetRuntime} is made of. */
export interface FleetRuntimeParts {
  readonly options: FleetRuntimeOptions
  readonly spec: NetworkSpec
  /** Open for reading alone, used by nobody else. */
  readonly environment: ChainEnvironment
  readonly reader: ChainStoreReader
  readonly chain: FleetChainService
  readonly front: FleetFrontService
  readonly shared: SharedLease
  /** Milliseconds of the boot clock. */
  readonly clock: () => number
  readonly log: Logger
  readonly parts: readonly FleetPart[]
  /** The key with which this member signs; null for none. @throws FleetError */
  readKey(): Promise<SignerKey | null>
  tell(event: FleetFrontEvent): void
  /** Share of time in which this member was busy, 0 to 1. */
  load(): number
  /** It cannot go on: the thread is to end, and another one begins anew. */
  onFailure(error: Error): void
}

/** What a member has once it is connected, before it has a lease. */
interface Connected {
  readonly connection: FleetConnection
  readonly jetstream: FleetPartContext['jetstream']
  readonly manager: JetStreamManager
  readonly names: FleetNames
  readonly calls: MemberCalls
  readonly identity: MemberIdentity
  readonly stream: LogStream
  readonly stability: LogStability
  readonly membership: Membership
  readonly log: MemberLog
}

/** A member of a fleet at work: everything of it that is in the fleet thread. */
export class FleetRuntime {
  readonly #parts: FleetRuntimeParts
  readonly #counts: Record<string, number> = {}
  readonly #listeners = new Set<() => void>()
  readonly #waits = new WaitWatch()
  readonly #closers: (() => Promise<void> | void)[] = []
  readonly #started: FleetPart[] = []
  #connected: Connected | null = null
  #member: FleetMember | null = null
  #blocks: BlockExchange | null = null
  #isLeading = false
  #reason: string | null = null
  /** Blocks that were accepted before the member was there. */
  #early: (FleetChainEvent & { kind: 'accepted' })[] = []

  constructor(parts: FleetRuntimeParts) {
    this.#parts = parts
  }

  /** Joins the fleet; resolves when this member takes part, although it may not serve yet. @throws FleetError */
  async start(): Promise<void> {
    const { options, chain } = this.#parts
    const { lease } = options.times
    const names = new FleetNames(options.fleet)
    const why = await chain.whyNot()
    if (why !== null) throw new FleetError('Failed', `this chain may not be one of a fleet: ${why}`)
    const connection = await connectFleet(options.connection)
    this.#closers.push(() => connection.close())
    await checkResources(connection.nats, names)
    const manager = await jetstreamManager(connection.nats, { timeout: lease })
    const jetstream = openJetstream(connection.nats, { timeout: lease })
    const [members, state] = await Promise.all([
      bucketOf(jetstream, names.members),
      bucketOf(jetstream, names.state),
    ])
    await assertSameChain(state, await chain.genesisHash())
    await assertSamePool(state, options.pool)
    const identity = await MemberIdentity.claim(state, options.dataDir, options.fleet)
    const stream = new LogStream({ jetstream, manager, names, timeout: lease / 2 })
    const calls = new MemberCalls({ connection, names, self: identity.id })
    this.#closers.push(() => calls.close())
    const bus = new NatsStabilityBus(connection, names, () => this.#count('malformed'))
    const shared = createSharedLog()
    const scheduler = { ...createScheduler(), now: this.#parts.clock }
    const stability = new LogStability({ self: identity.id, bus, scheduler, shared })
    this.#closers.push(() => stability.stop())
    this.#closers.push(bus.follow((notice) => stability.hear(notice)))
    await chain.shareLog(shared)
    const first = firstHeld()
    const membership = this.#createMembership(members, state, identity, (event) => first.note(event))
    this.#closers.push(() => membership.stop())
    const log = new MemberLog({
      ...{ jetstream, manager, names, stream, stability, chain, calls, identity },
      clock: this.#parts.clock,
      logger: this.#parts.log,
      publishTime: PUBLISH_LEASES * lease,
      givers: () => this.#givers(),
      count: (name, by) => this.#count(name, by),
      onBehind: (error) => this.#parts.onFailure(error),
    })
    const connected = {
      ...{ connection, jetstream, manager, names, calls, identity, stream, stability, membership, log },
    }
    this.#connected = connected
    // The position in the log is looked at before there is a lease (fleet.md §4).
    const created = await log.look()
    membership.own.start()
    membership.leader.start()
    await first.held
    await this.#join(connected, created)
  }

  /** @param created creation time of the log before there was a lease */
  async #join(connected: Connected, created: string): Promise<void> {
    const { options, chain, front, log: logger } = this.#parts
    const { connection, names, calls, identity, stream, membership, log } = connected
    const before = identity.position
    const end = await stream.end()
    const signatures = await this.#createSignatures()
    const blocks = this.#createBlocks(connected)
    this.#blocks = blocks
    const member = new FleetMember({
      self: identity.id,
      times: options.times,
      log: stream,
      leases: membership,
      bus: new NatsMemberBus(connection, names, calls, () => log.isVerified),
      chain,
      front: {
        hold: (revision) => front.hold(revision),
        ping: () => front.ping(),
        tell: (event) => this.#parts.tell(event),
      },
      scheduler: { ...createScheduler(), now: this.#parts.clock },
      ...{ logger, signatures, end },
      before: before && { named: identity.named },
      facts: () => this.#facts(),
      fetch: (hash) => blocks.fetch(hash),
      onChange: () => this.#changed(),
    })
    this.#member = member
    this.#closers.push(() => member.stop())
    const endServices = serveMembers({
      ...{ connection, names, calls, member, front },
      drain: () => this.drain(),
      skipped: () => this.#count('malformed'),
    })
    this.#closers.push(endServices)
    blocks.start()
    this.#closers.push(() => blocks.stop())
    const heaviest = await chain.heaviest()
    await member.start(heaviest)
    member.leaseChanged(!membership.own.isHeld)
    for (const event of this.#early.splice(0)) this.onChainEvent(event)
    const renewal = setInterval(() => member.announce(), renewalInterval(options.times.lease))
    this.#closers.push(() => clearInterval(renewal))
    this.#closers.push(() => log.stop())
    this.#watchConnection(connected, blocks)
    await log.start(member, before, created, end)
    // Not earlier: the canonical head is that of the fleet now.
    blocks.publishDownFrom(heaviest.hash)
    await this.#startParts(connected, member)
    this.#changed()
  }

  /** What happened in the chain thread. */
  onChainEvent(event: FleetChainEvent): void {
    if (this.#member === null) {
      this.#early.push(event)
      return
    }
    this.#member.executed(event.block)
    this.#blocks?.publish(event.block.hash, event.encoded)
  }

  /** @throws FleetError while this member takes no transactions */
  async publishTransactions(
    encoded: readonly Buffer[],
    after: readonly (number | null)[],
  ): Promise<readonly number[]> {
    const isServing = this.#member?.absence === null || this.#member?.absence === 'held'
    if (this.#connected === null || !isServing || !this.#connected.membership.own.isHeld)
      throw new FleetError('Closed', 'this member takes no transactions now')
    const until = performance.now() + PUBLISH_LEASES * this.#parts.options.times.lease
    return this.#connected.stream.publishTransactions(encoded, after, until)
  }

  /** Resolves when every member that may serve has applied an entry of the log (fleet.md §4). @throws FleetError */
  async whenStable(sequence: number): Promise<void> {
    if (this.#connected === null) throw new FleetError('Closed', 'this member reads no log now')
    await this.#connected.stability.whenStable(sequence, STABLE_LEASES * this.#parts.options.times.lease)
  }

  /** @throws FleetError, CallRefusal */
  async call(to: MemberId | number, service: string, payload: Buffer, milliseconds: number): Promise<Buffer> {
    const { identity, membership, calls } = this.#connected ?? {}
    const member = typeof to === 'number' ? identity?.memberOf(to, membership?.all.all() ?? []) : to
    if (!member || calls === undefined) throw new FleetError('NoMember', 'no member has that number')
    return calls.call(member, service, payload, { milliseconds, limit: Number.MAX_SAFE_INTEGER })
  }

  async grant(payload: Buffer): Promise<Buffer> {
    const part = this.#parts.parts.find(({ grant }) => grant !== undefined)
    if (part?.grant === undefined) throw new FleetError('Closed', 'nobody grants units')
    return part.grant(payload)
  }

  others(): readonly MemberId[] {
    if (this.#connected === null) return []
    const { identity, membership } = this.#connected
    return othersThatServe(identity.id, membership, this.#member)
  }

  /** Leaves: others go on without it when this resolves, or wait until its lease is over. */
  async drain(): Promise<void> {
    const member = this.#member
    if (member === null || this.#connected === null) return
    const { identity, membership, log } = this.#connected
    await member.leave('draining')
    for (const part of this.#parts.parts) await part.drain?.()
    // A leader that leaves alone has nobody to write an entry for.
    while (this.others().length > 0 && member.head?.members.includes(identity.id) === true && log.isVerified)
      await new Promise((resolve) => setTimeout(resolve, DRAIN_POLL))
    // Not earlier: a leader writes the entry without itself.
    membership.leader.resign()
  }

  async stop(): Promise<void> {
    for (const close of this.#closers.splice(0).toReversed()) {
      try {
        await close()
      } catch (error) {
        this.#parts.log.debug({ err: error }, 'a part of the fleet thread does not end as it should')
      }
    }
  }

  status(): FleetStatus {
    return composeStatus({
      fleet: this.#parts.options.fleet,
      self: this.#connected?.identity.id ?? '',
      number: this.#connected?.identity.number ?? 0,
      member: this.#member,
      membership: this.#connected?.membership ?? null,
      stability: this.#connected?.stability ?? null,
      reason: this.#whyNot() ?? this.#reason,
      counts: this.#counts,
      blocks: this.#blocks?.counts ?? { published: 0, left: 0 },
    })
  }

  async #createSignatures(): Promise<SignatureBook> {
    const { options, chain, log, readKey } = this.#parts
    const { fleet, heads } = options
    const key = await readKey()
    if (key !== null && heads.keys.length > 0 && !heads.keys.includes(key.publicKey))
      log.warn(
        { key: key.publicKey },
        '--fleet-signer-key is none of --fleet-keys: its signatures do not count',
      )
    return createSignatureBook({ fleet, genesis: await chain.genesisHash() }, heads, key)
  }

  #createMembership(
    members: Awaited<ReturnType<typeof bucketOf>>,
    state: Awaited<ReturnType<typeof bucketOf>>,
    identity: MemberIdentity,
    onOwn: (event: OwnLeaseEvent) => void,
  ): Membership {
    const { options, clock, shared, log } = this.#parts
    return new Membership({
      ...{ members, state, self: identity.id, lease: options.times.lease, clock, shared, logger: log },
      health: () => this.#health(),
      record: () => this.#record(),
      mayLead: () => this.#connected?.log.isVerified === true && this.#member?.absence !== 'draining',
      knownEpoch: () => this.#member?.head?.epoch ?? 0,
      onOwn: (event) => {
        onOwn(event)
        if (event.kind === 'held' || event.kind === 'over') this.#member?.leaseChanged(event.kind === 'over')
        if (event.kind === 'fenced') this.#member?.fenced()
        if (event.kind === 'duplicate') this.#parts.onFailure(event.error)
        if (event.kind === 'late') this.#note(event.error)
      },
      onChange: () => this.#changed(),
      count: (name) => this.#count(name),
    })
  }

  #createBlocks({
    connection,
    jetstream,
    manager,
    names,
    calls,
    identity,
    membership,
  }: Connected): BlockExchange {
    const { chain, spec, environment, reader, log } = this.#parts
    return new BlockExchange({
      ...{ connection, jetstream, manager, names, calls, chain, spec, environment, reader, logger: log },
      others: () => othersToAsk(identity.id, membership, this.#member),
      onExecuted: (block) => this.#member?.executed(block),
      onRefused: ({ number, rule, expected, found }) => {
        this.#count('refusedBlocks')
        this.#reason = `block ${number} of the fleet breaks ${rule} here: expected ${expected}, found ${found}`
      },
      skipped: () => this.#count('malformed'),
    })
  }

  /** Other members that say that they serve. */
  #givers(): readonly MemberId[] {
    if (this.#connected === null) return []
    const { identity, membership } = this.#connected
    return membership.all
      .all()
      .filter(({ id, record }) => id !== identity.id && record.serves && !membership.isOver(id))
      .map(({ id }) => id)
  }

  async #startParts(connected: Connected, member: FleetMember): Promise<void> {
    const { options, chain, front, log, parts } = this.#parts
    const { connection, jetstream, manager, calls, identity, membership } = connected
    const context: FleetPartContext = {
      connection: connection.nats,
      jetstream,
      manager,
      fleet: options.fleet,
      calls: {
        serve: (service, answer) => calls.serve(service, answer, { concurrency: PART_CALLS_AT_ONCE }),
        call: (to, { service, payload, milliseconds, mostBytes }) =>
          calls.call(to, service, payload, { milliseconds, limit: mostBytes }),
      },
      view: createView({ identity, membership, member, listeners: this.#listeners }),
      chain,
      front,
      dataDir: options.dataDir,
      log,
      count: (name, by) => this.#count(name, by),
    }
    for (const part of parts) {
      await part.start(context)
      this.#started.push(part)
      this.#closers.push(() => part.stop())
    }
  }

  #watchConnection({ connection, membership, log: memberLog }: Connected, blocks: BlockExchange): void {
    const { log, onFailure } = this.#parts
    const end = connection.onEvent((event) => {
      switch (event.kind) {
        case 'disconnected':
          log.warn({ server: event.server }, 'the connection to NATS is lost')
          membership.interrupted()
          memberLog.interrupt()
          blocks.interrupt()
          return
        case 'connected':
          log.info({ server: event.server }, 'connected to NATS again')
          membership.reconnected()
          for (const part of this.#started) part.reconnected?.()
          return
        case 'closed':
          if (event.error !== null) onFailure(event.error)
      }
    })
    this.#closers.push(end)
  }

  #changed(): void {
    this.#member?.wake()
    const leading = this.#connected?.membership.leading ?? null
    this.#connected?.stability.leading(leading !== null)
    const isLeading = leading !== null && this.#member?.absence === null
    if (isLeading !== this.#isLeading) {
      this.#isLeading = isLeading
      void this.#parts.chain.lead(isLeading).catch(() => undefined)
    }
    for (const listener of this.#listeners) listener()
  }

  async #health(): Promise<void> {
    const { chain, front } = this.#parts
    const why = this.#whyNot()
    if (why !== null) throw new FleetError('Failed', why)
    await Promise.all([front.ping(), chain.ping()])
  }

  /** Why the lease is not renewed now; null when it is. */
  #whyNot(): string | null {
    if (this.#connected?.connection.isConnected !== true) return 'not connected to NATS'
    if (!this.#connected.log.isVerified) return 'the log is not known to be whole'
    for (const part of this.#parts.parts) {
      const why = part.whyNot?.() ?? null
      if (why !== null) return why
    }
    return null
  }

  #record() {
    const member = this.#member
    const head = member?.canonical ?? null
    const wait = this.#waits.look(member?.waits ?? null, this.#parts.clock())
    const waits = wait && describeWait(wait)
    return { ...this.#facts(), serves: member?.absence === null, head, lag: member?.lag ?? null, waits }
  }

  #facts(): MemberFacts {
    const { options, load } = this.#parts
    const number = this.#connected?.identity.number ?? 0
    return { name: options.name, number, version: options.version, load: load() }
  }

  #note(error: unknown): void {
    this.#count('lateRenewals')
    this.#parts.log.debug({ err: error }, 'the lease is not renewed')
  }

  #count(name: string, by = 1): void {
    this.#counts[name] = (this.#counts[name] ?? 0) + by
  }
}
