import { type JetStreamManager, jetstreamManager, jetstream as openJetstream } from '@nats-io/jetstream'
import type { ChainStoreReader } from '../../chain/chainStoreReader.ts'
import type { NetworkSpec } from '../../config/networkSpec.ts'
import type { Logger } from '../../observe/logger.ts'
import { createScheduler } from '../../p2p/peers/scheduler.ts'
import type { ChainEnvironment } from '../../storage/chainEnvironment.ts'
import { BlockConsumer } from '../blocks/blockConsumer.ts'
import { BlockIntake } from '../blocks/blockIntake.ts'
import { BlockPublisher } from '../blocks/blockPublisher.ts'
import { BLOCKS_SERVICE, BlockService, decodeBlocksRequest, encodeBlocks } from '../blocks/blockService.ts'
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
import { renewalInterval } from '../lease/leaseTimes.ts'
import { LogConsumer } from '../log/logConsumer.ts'
import { LogStream } from '../log/logStream.ts'
import { decodeAnnouncement, encodeAnnouncement } from '../member/announcement.ts'
import { FleetMember, type MemberTimes } from '../member/fleetMember.ts'
import { fetchPool, POOL_SERVICE, PoolGiver, readPool } from '../member/poolTakeover.ts'
import type { MemberBus } from '../member/ports.ts'
import { decodePrepare, decodePrepareAnswer, encodePrepare, encodePrepareAnswer } from '../member/prepare.ts'
import { type MemberState, readMemberFile, writeMemberFile } from '../memberFile.ts'
import { claimNumber, memberOfNumber } from '../memberNumbers.ts'
import { MemberCalls } from '../nats/calls.ts'
import { connectFleet, type FleetConnection, type FleetConnectionOptions } from '../nats/connection.ts'
import { FleetNames } from '../nats/names.ts'
import { checkResources, openBucket } from '../nats/provision.ts'
import type { FleetPart, FleetPartContext, FleetView } from '../part.ts'
import { assertSameChain } from './genesis.ts'
import { firstHeld, Membership } from './membership.ts'
import { composeStatus } from './status.ts'

const PREPARE_SERVICE = 'prepare'
const PREPARE_BYTES = 4096
/** Time between two notes of the position in the file of the member, milliseconds. */
const POSITION_INTERVAL = 1000
/** The log is given so long to take what a client sent, times the lease. */
const PUBLISH_LEASES = 2
const DRAIN_POLL = 20
/** Lets this member leave (fleet.md §10); called by `rhizome fleet drain`. */
const DRAIN_SERVICE = 'drain'

/** What a fleet runs with. */
export interface FleetRuntimeOptions {
  readonly connection: FleetConnectionOptions
  readonly fleet: string
  /** Name of this member. */
  readonly name: string
  readonly version: string
  readonly dataDir: string
  readonly times: MemberTimes
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
  tell(event: FleetFrontEvent): void
  /** Share of time in which this member was busy, 0 to 1. */
  load(): number
  /** It cannot go on: the thread is to end, and another one begins anew. */
  onFailure(error: Error): void
}

/** A member of a fleet at work: everything of it that is in the fleet thread. */
export class FleetRuntime {
  readonly #parts: FleetRuntimeParts
  readonly #counts: Record<string, number> = {}
  readonly #listeners = new Set<() => void>()
  readonly #closers: (() => Promise<void> | void)[] = []
  #connection: FleetConnection | null = null
  #calls: MemberCalls | null = null
  #membership: Membership | null = null
  #member: FleetMember | null = null
  #stream: LogStream | null = null
  #consumer: LogConsumer | null = null
  #blocks: BlockPublisher | null = null
  #file: MemberState | null = null
  #numbers: { of(number: number): MemberId | null } = { of: () => null }
  #isVerified = false
  #isLeading = false
  #reason: string | null = null
  /** Blocks that were accepted before the member was there. */
  #early: (FleetChainEvent & { kind: 'accepted' })[] = []

  constructor(parts: FleetRuntimeParts) {
    this.#parts = parts
  }

  /** Joins the fleet; resolves when this member takes part, although it may not serve yet. @throws FleetError */
  async start(): Promise<void> {
    const { options, chain, log, clock, shared } = this.#parts
    const names = new FleetNames(options.fleet)
    const why = await chain.whyNot()
    if (why !== null) throw new FleetError('Failed', `this chain may not be one of a fleet: ${why}`)
    const connection = await connectFleet(options.connection)
    this.#connection = connection
    this.#closers.push(() => connection.close())
    await checkResources(connection.nats, names)
    const { lease } = options.times
    const manager = await jetstreamManager(connection.nats, { timeout: lease })
    const jetstream = openJetstream(connection.nats, { timeout: lease })
    const [members, state] = await Promise.all([
      openBucket(connection.nats, names.members),
      openBucket(connection.nats, names.state),
    ])
    await assertSameChain(state, await chain.genesisHash())
    const self = await this.#identify(state)
    const stream = new LogStream({ jetstream, manager, names, timeout: lease / 2 })
    this.#stream = stream
    const calls = new MemberCalls({ connection, names, self })
    this.#calls = calls
    this.#closers.push(() => calls.close())
    const first = firstHeld()
    const membership = new Membership({
      ...{ members, state, self, lease, clock, shared, logger: log },
      health: () => this.#health(),
      record: () => this.#record(),
      mayLead: () => this.#isVerified && this.#member?.absence !== 'draining',
      knownEpoch: () => this.#member?.head?.epoch ?? 0,
      onOwn: (event) => {
        first.note(event)
        if (event.kind === 'held' || event.kind === 'over') this.#member?.leaseChanged(event.kind === 'over')
        if (event.kind === 'fenced') this.#member?.fenced()
        if (event.kind === 'duplicate') this.#parts.onFailure(event.error)
        if (event.kind === 'late') this.#note(event.error)
      },
      onChange: () => this.#changed(),
      count: (name) => this.#count(name),
    })
    this.#membership = membership
    this.#closers.push(() => membership.stop())
    // The position in the log is looked at before there is a lease (fleet.md §4).
    const before = this.#file?.log ?? null
    const atStart = await stream.state()
    this.#isVerified = true
    membership.own.start()
    membership.leader.start()
    await first.held
    await this.#join({
      names,
      connection,
      manager,
      self,
      membership,
      stream,
      calls,
      before,
      atStart: atStart.created,
    })
  }

  async #join({
    names,
    connection,
    manager,
    self,
    membership,
    stream,
    calls,
    before,
    atStart,
  }: {
    names: FleetNames
    connection: FleetConnection
    manager: JetStreamManager
    self: MemberId
    membership: Membership
    stream: LogStream
    calls: MemberCalls
    before: MemberState['log']
    atStart: string
  }): Promise<void> {
    const { options, chain, front, log, clock, spec, environment, reader, tell } = this.#parts
    const jetstream = openJetstream(connection.nats, { timeout: options.times.lease })
    const service = new BlockService(spec, environment, reader)
    const intake = new BlockIntake({
      chain,
      calls,
      blocks: service,
      logger: log,
      others: () => this.#others(),
      onExecuted: (block) => this.#member?.executed(block),
      onRefused: ({ number, rule, expected, found }) => {
        this.#count('refusedBlocks')
        this.#reason = `block ${number} of the fleet breaks ${rule} here: expected ${expected}, found ${found}`
      },
    })
    const end = await stream.end()
    const member = new FleetMember({
      self,
      times: options.times,
      log: stream,
      leases: membership,
      bus: this.#bus(names, connection, calls),
      chain,
      front: { hold: (revision) => front.hold(revision), ping: () => front.ping(), tell },
      scheduler: { ...createScheduler(), now: clock },
      logger: log,
      end,
      facts: () => this.#facts(),
      fetch: (hash) => intake.fetch(hash),
      onChange: () => this.#changed(),
    })
    this.#member = member
    this.#closers.push(() => member.stop())
    calls.serve(
      BLOCKS_SERVICE,
      async (payload) => encodeBlocks(service.answer(decodeBlocksRequest(payload))),
      {
        concurrency: 2,
      },
    )
    calls.serve(
      PREPARE_SERVICE,
      async (payload) => encodePrepareAnswer(await member.prepare(decodePrepare(payload))),
      { concurrency: 16 },
    )
    calls.serve(
      DRAIN_SERVICE,
      async () => {
        await this.drain()
        return Buffer.alloc(0)
      },
      { concurrency: 1 },
    )
    for (const name of FRONT_SERVICES)
      calls.serve(name, (payload) => front.answer(name, payload), { concurrency: 64 })
    const subscription = connection.nats.subscribe(names.executedSubject, {
      callback: (error, message) => {
        if (error !== null) return
        try {
          member.heard(decodeAnnouncement(message.data))
        } catch {
          this.#count('malformed')
        }
      },
    })
    this.#closers.push(() => subscription.unsubscribe())
    this.#blocks = new BlockPublisher({
      jetstream,
      names,
      maxPayload: () => connection.maxPayload,
      logger: log,
    })
    this.#closers.push(() => this.#blocks?.stop())
    const blockConsumer = new BlockConsumer({
      ...{ jetstream, manager, names, logger: log },
      take: (blocks) => intake.take(blocks),
      skipped: () => this.#count('malformed'),
    })
    blockConsumer.start()
    this.#closers.push(() => blockConsumer.stop())
    await member.start(await chain.heaviest())
    member.leaseChanged(!membership.own.isHeld)
    for (const event of this.#early.splice(0)) this.onChainEvent(event)
    const renewal = setInterval(() => member.announce(), renewalInterval(options.times.lease))
    this.#closers.push(() => clearInterval(renewal))
    const position = await this.#takeOver(member, stream, before, end, atStart)
    const consumer = new LogConsumer(
      {
        ...{ jetstream, manager, names, stream, logger: log },
        handler: {
          transactions: async (entries) => {
            await chain.admit(entries)
            this.#count('transactions', entries.length)
          },
          head: async (head, time) => {
            if (head.revision > (member.head?.revision ?? 0)) await member.applyHead(head, time)
          },
          skipped: () => this.#count('malformed'),
          lost: (last) => this.#lost(member, stream, last),
          moved: (moved) => {
            if (moved.sequence >= end) member.ready()
          },
          verified: (isVerified) => {
            this.#isVerified = isVerified
          },
        },
        onBehind: (error) => this.#parts.onFailure(error),
      },
      position,
    )
    this.#consumer = consumer
    if (position.sequence >= end) member.ready()
    consumer.start()
    this.#closers.push(() => consumer.stop())
    const giver = new PoolGiver(
      () => consumer.atRest((sequence) => readPool(chain, sequence, member.head)),
      clock,
    )
    calls.serve(POOL_SERVICE, (payload) => giver.answer(payload), { concurrency: 1 })
    this.#watchConnection(connection, membership, consumer, blockConsumer)
    const positions = setInterval(() => this.#writePosition(), POSITION_INTERVAL)
    this.#closers.push(() => {
      clearInterval(positions)
      this.#writePosition()
    })
    await this.#startParts({ jetstream, manager, connection, calls })
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
    const { options } = this.#parts
    const isServing = this.#member?.absence === null || this.#member?.absence === 'held'
    if (this.#stream === null || !isServing || this.#membership?.own.isHeld !== true)
      throw new FleetError('Closed', 'this member takes no transactions now')
    const until = performance.now() + PUBLISH_LEASES * options.times.lease
    return this.#stream.publishTransactions(encoded, after, until)
  }

  /** @throws FleetError, CallRefusal */
  async call(to: MemberId | number, service: string, payload: Buffer, milliseconds: number): Promise<Buffer> {
    const member = typeof to === 'number' ? this.#numbers.of(to) : to
    if (member === null || this.#calls === null) throw new FleetError('NoMember', 'no member has that number')
    return this.#calls.call(member, service, payload, { milliseconds, limit: Number.MAX_SAFE_INTEGER })
  }

  async grant(payload: Buffer): Promise<Buffer> {
    const part = this.#parts.parts.find(({ grant }) => grant !== undefined)
    if (part?.grant === undefined) throw new FleetError('Closed', 'nobody grants units')
    return part.grant(payload)
  }

  others(): readonly MemberId[] {
    const named = this.#member?.head?.members ?? []
    const self = this.#file?.id
    return named.filter((id) => id !== self && this.#membership?.isOver(id) === false)
  }

  /** Leaves: others go on without it when this resolves, or wait until its lease is over. */
  async drain(): Promise<void> {
    const member = this.#member
    if (member === null) return
    await member.leave('draining')
    for (const part of this.#parts.parts) await part.drain?.()
    const self = this.#file?.id ?? ''
    // A leader that leaves alone has nobody to write an entry for.
    while (this.others().length > 0 && member.head?.members.includes(self) === true && this.#isVerified)
      await new Promise((resolve) => setTimeout(resolve, DRAIN_POLL))
    // Not earlier: a leader writes the entry without itself.
    this.#membership?.leader.resign()
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
    const { options } = this.#parts
    return composeStatus({
      fleet: options.fleet,
      self: this.#file?.id ?? '',
      number: this.#file?.number ?? 0,
      member: this.#member,
      membership: this.#membership,
      reason: this.#whyNot() ?? this.#reason,
      counts: this.#counts,
      blocks: this.#blocks?.counts ?? { published: 0, left: 0 },
    })
  }

  async #identify(state: Awaited<ReturnType<typeof openBucket>>): Promise<MemberId> {
    const { options } = this.#parts
    const file = readMemberFile(options.dataDir, options.fleet)
    const number = await claimNumber(state, file.id, file.number)
    this.#file = { ...file, number }
    writeMemberFile(options.dataDir, this.#file)
    const known = new Map<number, MemberId>()
    this.#numbers = {
      of: (asked) => {
        const id = this.#membership?.all.all().find(({ record }) => record.number === asked)?.id
        if (id !== undefined) return id
        // Read once for the next who asks: members that are away have no lease.
        void memberOfNumber(state, asked)
          .then((member) => member !== null && known.size < 65_536 && known.set(asked, member))
          .catch(() => undefined)
        return known.get(asked) ?? null
      },
    }
    return file.id
  }

  /** The head and the pool that this member begins with. @returns what it has applied then */
  async #takeOver(
    member: FleetMember,
    stream: LogStream,
    before: MemberState['log'],
    end: number,
    created: string,
  ): Promise<{ readonly created: string | null; readonly sequence: number }> {
    const { chain, log } = this.#parts
    const self = this.#file?.id
    const givers = (this.#membership?.all.all() ?? [])
      .filter(({ id, record }) => id !== self && record.serves && this.#membership?.isOver(id) === false)
      .map(({ id }) => id)
    for (const giver of givers) {
      try {
        const pool = await fetchPool(this.#calls as MemberCalls, giver)
        if (pool.head !== null) await member.applyHead(pool.head)
        await chain.replacePool(pool.entries, pool.state)
        return { created, sequence: pool.sequence }
      } catch (error) {
        log.warn({ err: error, member: giver }, 'the pool of another member cannot be taken over')
      }
    }
    const last = await stream.lastHead()
    if (last !== null) await member.applyHead(last.head, last.time)
    const isSame = before !== null && before.created === created && before.sequence <= end
    return isSame ? { created, sequence: before.sequence } : { created, sequence: end }
  }

  async #lost(member: FleetMember, stream: LogStream, end: number): Promise<void> {
    this.#parts.log.error('the log is another one, or has lost its last entries: this member joins anew')
    this.#count('lostLogs')
    const last = await stream.lastHead()
    member.lost(last?.head ?? null, end)
    await this.#republish()
  }

  /** What the pool has goes to the log again: ids remove doubles. */
  async #republish(): Promise<void> {
    const { chain, options } = this.#parts
    const entries = await chain.pool()
    const until = performance.now() + PUBLISH_LEASES * options.times.lease
    await this.#stream
      ?.publishTransactions(
        entries.map(({ encoded }) => encoded),
        [],
        until,
      )
      .catch((error: unknown) => {
        this.#parts.log.warn({ err: error }, 'transactions of the pool are not in the log')
      })
  }

  #bus(names: FleetNames, connection: FleetConnection, calls: MemberCalls): MemberBus {
    return {
      announce: (announcement) => {
        if (connection.isConnected && this.#isVerified)
          connection.nats.publish(names.executedSubject, encodeAnnouncement(announcement))
      },
      prepare: async (member, request, milliseconds) => {
        const options = { milliseconds, limit: PREPARE_BYTES }
        return decodePrepareAnswer(await calls.call(member, PREPARE_SERVICE, encodePrepare(request), options))
      },
    }
  }

  async #startParts({
    jetstream,
    manager,
    connection,
    calls,
  }: {
    jetstream: FleetPartContext['jetstream']
    manager: JetStreamManager
    connection: FleetConnection
    calls: MemberCalls
  }): Promise<void> {
    const { options, chain, front, log, parts } = this.#parts
    const context: FleetPartContext = {
      connection: connection.nats,
      jetstream,
      manager,
      fleet: options.fleet,
      calls: {
        serve: (service, answer) => calls.serve(service, answer, { concurrency: 64 }),
        call: (member, { service, payload, milliseconds, mostBytes }) =>
          calls.call(member, service, payload, { milliseconds, limit: mostBytes }),
      },
      view: this.#view(),
      chain,
      front,
      dataDir: options.dataDir,
      log,
      count: (name, by) => this.#count(name, by),
    }
    for (const part of parts) {
      await part.start(context)
      this.#closers.push(() => part.stop())
    }
  }

  #view(): FleetView {
    const runtime = this
    return {
      self: this.#file?.id ?? '',
      number: this.#file?.number ?? 0,
      get head() {
        return runtime.#member?.head ?? null
      },
      get absence() {
        return runtime.#member?.absence ?? 'joining'
      },
      get leader() {
        return runtime.#membership?.leader.leader ?? null
      },
      get epoch() {
        return runtime.#membership?.leader.epoch ?? 0
      },
      get isLeader() {
        return runtime.#membership?.leading !== null
      },
      get serving() {
        const { absence, self } = this
        return absence === null ? [self, ...runtime.others()] : runtime.others()
      },
      memberOf: (number) => this.#numbers.of(number),
      onChange: (listener) => {
        this.#listeners.add(listener)
        return () => this.#listeners.delete(listener)
      },
    }
  }

  #watchConnection(
    connection: FleetConnection,
    membership: Membership,
    consumer: LogConsumer,
    blockConsumer: BlockConsumer,
  ): void {
    const { log, parts, onFailure } = this.#parts
    const end = connection.onEvent((event) => {
      switch (event.kind) {
        case 'disconnected':
          log.warn({ server: event.server }, 'the connection to NATS is lost')
          consumer.interrupt()
          blockConsumer.interrupt()
          return
        case 'connected':
          log.info({ server: event.server }, 'connected to NATS again')
          membership.reconnected()
          for (const part of parts) part.reconnected?.()
          return
        case 'closed':
          if (event.error !== null) onFailure(event.error)
      }
    })
    this.#closers.push(end)
  }

  #changed(): void {
    this.#member?.wake()
    const isLeading = this.#membership?.leading !== null && this.#member?.absence === null
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
    if (this.#connection?.isConnected !== true) return 'not connected to NATS'
    if (!this.#isVerified) return 'the log is not known to be whole'
    for (const part of this.#parts.parts) {
      const why = part.whyNot?.() ?? null
      if (why !== null) return why
    }
    return null
  }

  #record() {
    const { name, number, version, load } = this.#facts()
    const { member } = { member: this.#member }
    const head = member?.canonical ?? null
    return { name, number, version, load, serves: member?.absence === null, head, lag: member?.lag ?? null }
  }

  #facts() {
    const { options, load } = this.#parts
    return { name: options.name, number: this.#file?.number ?? 0, version: options.version, load: load() }
  }

  #others(): readonly MemberId[] {
    const serving = this.others()
    const rest = (this.#membership?.all.all() ?? [])
      .map(({ id }) => id)
      .filter(
        (id) => id !== this.#file?.id && !serving.includes(id) && this.#membership?.isOver(id) === false,
      )
    return [...serving, ...rest]
  }

  #note(error: unknown): void {
    this.#count('lateRenewals')
    this.#parts.log.debug({ err: error }, 'the lease is not renewed')
  }

  #writePosition(): void {
    const { options } = this.#parts
    if (this.#file === null || this.#consumer === null) return
    const { position } = this.#consumer
    const known = this.#file.log
    if (position === null || (known?.sequence === position.sequence && known.created === position.created))
      return
    this.#file = { ...this.#file, log: position }
    writeMemberFile(options.dataDir, this.#file)
  }

  #count(name: string, by = 1): void {
    this.#counts[name] = (this.#counts[name] ?? 0) + by
  }
}

/** Services that the front thread answers (fleet.md §10). */
const FRONT_SERVICES = ['filter', 'search'] as const
