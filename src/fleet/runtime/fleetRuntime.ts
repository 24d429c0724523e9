import { randomBytes } from 'node:crypto'
import { jetstream } from '@nats-io/jetstream'
import type { Logger } from '../../observe/logger.ts'
import { everyAligned } from '../../util/alignedTimer.ts'
import { Waits } from '../../util/waits.ts'
import { FILTER_SERVICE } from '../filters/filterCall.ts'
import { ServedHead } from '../head/servedHead.ts'
import type {
  BlockMaker,
  FleetChainEvent,
  FleetChainService,
  FleetFrontEvent,
  FleetFrontService,
  FleetStatus,
  MemberId,
} from '../interface.ts'
import { MemberCalls } from '../nats/calls.ts'
import { FleetNames } from '../nats/names.ts'
import { connectFleet, type FleetConnection, type FleetConnectionOptions } from '../nats/natsConnection.ts'
import type { FleetPart } from '../part.ts'
import { PoolExchange } from '../pool/poolExchange.ts'
import { TransactionTelling } from '../pool/transactionTelling.ts'
import { Identity, nodeIdOf } from '../presence/identity.ts'
import { type HeardMember, Members, PRESENT_FOR } from '../presence/members.ts'
import { decodePresence, encodePresence, type Making, type Presence } from '../presence/presence.ts'
import { createView } from './createView.ts'
import { ANNOUNCED_FOR, FrontNews } from './frontNews.ts'
import { HeadWaits } from './headWaits.ts'
import { linkedMembers } from './links.ts'
import { makerOf } from './maker.ts'
import { OwnState } from './ownState.ts'
import { PartHost } from './partHost.ts'
import { reachNats } from './reachNats.ts'
import { Skipped } from './skipped.ts'
import { encodeStatus, statusOf } from './status.ts'

/** Milliseconds between two presences without a change. */
const TELL_PERIOD = 500
/** Milliseconds between two questions to the other threads how they are. */
const ASK_PERIOD = 2000
/** Blocks that this member refused and tells. */
const MAX_REFUSED = 8
/** The chain thread adopts by itself after so many waits, and at least so many milliseconds. */
const HOLD_WAITS = 2
const LEAST_HOLD = 200
/** Service that answers with the status of a member, for `fleet status`. */
export const STATUS_SERVICE = 'status'

export interface FleetRuntimeOptions {
  readonly connection: FleetConnectionOptions
  readonly fleet: string
  readonly self: MemberId
  readonly name: string
  readonly version: string
  readonly dataDir: string
  /** Time zone of quotas. */
  readonly zone: string
  readonly makes: Making
  /** Milliseconds. */
  readonly lag: number
  readonly adoptWait: number
}

export interface FleetRuntimeParts {
  readonly options: FleetRuntimeOptions
  readonly chain: FleetChainService
  readonly front: FleetFrontService
  readonly log: Logger
  readonly parts: readonly FleetPart[]
  tell(event: FleetFrontEvent): void
  /** How NATS is reached; {@link connectFleet} unless given. */
  readonly connect?: typeof connectFleet
}

/** A member of a fleet at work: presence, heads, transactions, and its parts. */
export class FleetRuntime {
  readonly #options: FleetRuntimeOptions
  readonly #reach: () => Promise<FleetConnection>
  readonly #chain: FleetChainService
  readonly #front: FleetFrontService
  readonly #log: Logger
  readonly #parts: PartHost
  readonly #news: FrontNews
  readonly #names: FleetNames
  readonly #life = randomBytes(8).toString('hex')
  readonly #began = Date.now()
  #reached = 0
  readonly #identity = new Identity()
  readonly #head: ServedHead
  readonly #waits = new HeadWaits()
  readonly #sends = new Waits()
  readonly #state: OwnState
  readonly #counts: Record<string, number> = {}
  readonly #skipped: Skipped
  readonly #listeners = new Set<() => void>()
  readonly #ends: (() => void)[] = []
  readonly #refused: string[] = []
  #members: Members | null = null
  #connection: FleetConnection | null = null
  #telling: TransactionTelling | null = null
  #exchange: PoolExchange | null = null
  #calls: MemberCalls | null = null
  #genesis = ''
  #whyNot: string | null = null
  #executed: Presence['executed'] | null = null
  #adopted: Presence['adopted'] | null = null
  #adopting: Buffer | null = null
  /** The last block that is adopted because all who are waited for have executed it: they need no word of it. */
  #common: Buffer | null = null
  /** Looks again when something is due. */
  #lookTimer: NodeJS.Timeout | null = null
  #present = ''
  #isHolding: boolean | null = null
  #maker = ''
  #isTold = false
  #isStopped = false

  constructor({ options, chain, front, log, parts, tell, connect = connectFleet }: FleetRuntimeParts) {
    this.#reach = () => connect(options.connection)
    this.#options = options
    this.#chain = chain
    this.#front = front
    this.#log = log
    this.#parts = new PartHost(parts, { log, tell, onFailure: (name, error) => this.#failed(name, error) })
    this.#news = new FrontNews(tell)
    this.#names = new FleetNames(options.fleet)
    this.#state = new OwnState(chain, front)
    this.#head = new ServedHead(options.adoptWait)
    this.#skipped = new Skipped(log, (name) => this.#count(name))
  }

  /** Reads the chain, then reaches NATS for as long as that takes. @throws what the chain thread throws */
  async start(): Promise<void> {
    const { zone, self, lag } = this.#options
    this.#genesis = (await this.#chain.genesisHash()).toString('hex')
    this.#whyNot = await this.#chain.whyNot()
    if (this.#whyNot !== null) this.#log.error({ reason: this.#whyNot }, 'this node does not join its fleet')
    this.#members = new Members({ id: self, genesis: this.#genesis, zone }, lag)
    const { adopted, executed, recent } = await this.#chain.branch()
    this.#head.executed(recent, executed, performance.now())
    this.#head.adopted(adopted)
    this.#executed = executed
    this.#adopted = adopted
    const ask = () => this.#state.ask(this.status())
    this.#ends.push(
      everyAligned(TELL_PERIOD, () => this.#tick()),
      everyAligned(ASK_PERIOD, ask),
    )
    ask()
    void this.#connect()
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    for (const end of this.#ends) end()
    if (this.#lookTimer !== null) clearTimeout(this.#lookTimer)
    this.#exchange?.close()
    await this.#parts.stop()
    this.#calls?.close()
    await this.#connection?.close()
  }

  /** Tells others that this member leaves. */
  async drain(): Promise<void> {
    this.#state.isLeaving = true
    this.#tellPresence()
    this.#look()
    if (this.#connection?.isConnected === true) await this.#connection.nats.flush()
  }

  onChainEvent(event: FleetChainEvent): void {
    const now = performance.now()
    switch (event.kind) {
      case 'waited':
        this.#sends.add(event.milliseconds)
        return
      case 'executed':
        this.#executed = event.heaviest
        this.#members?.executed(event.heaviest.totalDifficulty, now)
        this.#head.executed(event.blocks, event.heaviest, now)
        for (const { presence } of this.#members?.all ?? [])
          this.#head.heard({ id: presence.id, executed: presence.executed.hash }, now)
        break
      case 'adopted':
        this.#adopted = event.head
        this.#adopting = null
        this.#head.adopted(event.head)
        break
      case 'refused':
        this.#refused.push(event.hash.toString('hex'))
        if (this.#refused.length > MAX_REFUSED) this.#refused.shift()
    }
    if (event.kind !== 'adopted' || this.#common?.equals(event.head.hash) !== true) this.#tellPresence()
    this.#look()
  }

  /** As `FleetTeller.tell`. */
  async tellTransactions(transactions: readonly Buffer[]): Promise<void> {
    if (this.#isMember) await this.#telling?.tell(transactions)
  }

  tellWork(template: Buffer): void {
    if (this.#isMember) this.#parts.tellWork(template)
  }

  async call(member: MemberId, service: string, payload: Buffer, milliseconds: number): Promise<Buffer> {
    if (this.#calls === null) throw new Error('NATS is not reached yet')
    return this.#calls.call(member, service, payload, milliseconds)
  }

  toPart(name: string, message: unknown): void {
    this.#parts.fromFront(name, message)
  }

  status(): FleetStatus {
    const now = performance.now()
    return statusOf({
      fleet: this.#names.fleet,
      self: this.#options.self,
      connected: this.#connection?.isConnected === true,
      reason: this.#reason(now),
      members: this.#members,
      late: this.#head.late,
      linked: new Set(this.#links),
      waits: this.#waits,
      sends: this.#sends,
      counts: this.#counts,
      now,
    })
  }

  /** True when this process takes part: it is the only one of its id, and its chain may be one of the fleet. */
  get #isMember(): boolean {
    return this.#identity.isJoined && this.#whyNot === null
  }

  get #links(): readonly MemberId[] {
    return linkedMembers(this.#members?.all ?? [], new Set(this.#state.peers))
  }

  get #others(): readonly HeardMember[] {
    return this.#isMember ? (this.#members?.present(performance.now()) ?? []) : []
  }

  /** Why this member is not present for others; null when it is. */
  #reason(now: number): string | null {
    if (this.#whyNot !== null) return this.#whyNot
    if (this.#identity.reason !== null) return this.#identity.reason
    if (this.#connection?.isConnected !== true) return 'NATS is not reached'
    if (!this.#identity.isJoined) return 'listening whether another process has this id'
    return this.#whyNotReady(now)
  }

  #whyNotReady(now: number): string | null {
    const why = this.#state.whyNot(now)
    if (why !== null) return why
    const weight = this.#executed?.totalDifficulty ?? 0n
    return this.#members?.isBehind(weight, now) === true ? 'behind' : null
  }

  async #connect(): Promise<void> {
    const connection = await reachNats(
      this.#reach,
      () => this.#isStopped,
      (error) => {
        this.#count('failedConnections')
        this.#log.warn({ err: error }, 'NATS is not reached; this node answers alone until it is')
      },
    )
    if (connection === null) return
    this.#connection = connection
    this.#log.info({ server: connection.nats.getServer() }, 'NATS is reached')
    this.#identity.begin(performance.now())
    connection.onEvent((event) => {
      if (event.kind === 'disconnected') this.#log.warn({ server: event.server }, 'NATS is lost')
      if (event.kind === 'connected') {
        this.#reached += 1
        this.#log.info({ server: event.server }, 'NATS is reached again')
        this.#parts.reconnected()
        for (const { presence } of this.#others) this.#exchange?.compare(presence.id)
      }
      this.#tellPresence()
      this.#look()
    })
    this.#open(connection)
  }

  #open(connection: FleetConnection): void {
    const { self } = this.#options
    const chain = this.#chain
    const count = (name: string, by?: number) => this.#count(name, by)
    const calls = new MemberCalls({ connection, names: this.#names, self })
    const view = createView({
      self,
      isConnected: () => connection.isConnected && this.#isMember,
      others: () => this.#others,
      listeners: this.#listeners,
    })
    const isPresent = (member: MemberId) => view.others.includes(member)
    const onFailure = (error: unknown) => this.#failed('pool', error)
    const exchange = new PoolExchange({ calls, self, chain, isPresent, count, onFailure })
    const telling = new TransactionTelling({
      connection,
      names: this.#names,
      self,
      chain,
      present: () => view.others,
      onMissed: (member) => exchange.compare(member),
      count,
    })
    this.#calls = calls
    this.#exchange = exchange
    this.#telling = telling
    calls.serve(STATUS_SERVICE, async () => encodeStatus(this.status()))
    calls.serve(FILTER_SERVICE, (payload) => this.#front.answer(FILTER_SERVICE, payload))
    this.#subscribe(this.#names.presence, (data) => this.#heard(data))
    this.#subscribe(this.#names.transactions, (data) => {
      if (this.#isMember) telling.heard(data)
    })
    this.#subscribe(this.#names.confirmed(self), (data) => telling.confirmed(data))
    this.#parts.start({
      nats: connection.nats,
      jetstream: jetstream(connection.nats),
      names: this.#names,
      calls,
      view,
      chain,
      front: this.#front,
      dataDir: this.#options.dataDir,
      subscribe: (subject, handler) => this.#subscribe(subject, handler),
      count,
    })
  }

  #subscribe(subject: string, handler: (data: Buffer, subject: string) => void): () => void {
    const subscription = this.#connection?.nats.subscribe(subject, {
      callback: (error, message) => {
        if (error !== null) return
        // The bytes are the client's: what is kept is a copy.
        this.#skipped.guard(message.subject, () => handler(Buffer.from(message.data), message.subject))
      },
    })
    return () => subscription?.unsubscribe()
  }

  #heard(data: Buffer): void {
    const presence = decodePresence(data)
    if (presence === null) {
      this.#count('otherVersions')
      return
    }
    const now = performance.now()
    const { enode } = this.#state
    const nodeId = enode === null ? null : nodeIdOf(enode)
    const own = { id: this.#options.self, life: this.#life, began: this.#began, nodeId }
    const before = this.#identity.reason
    if (this.#identity.heard(own, presence, now)) {
      const { reason } = this.#identity
      if (reason !== null && before === null)
        this.#log.error({ reason }, 'this process does not join its fleet')
      this.#look()
      return
    }
    const hearing = this.#members?.heard(presence, now, Date.now())
    this.#head.heard({ id: presence.id, executed: presence.executed.hash }, now)
    if (hearing === 'first' || hearing === 'again') {
      this.#exchange?.compare(presence.id)
      if (hearing === 'first') this.#head.forget(presence.id)
      // It hears this member at once, too.
      this.#tellPresence()
    }
    this.#look()
  }

  #tick(): void {
    const now = performance.now()
    this.#identity.tick(now)
    this.#members?.sweep(now)
    this.#sendPresence()
    this.#connection?.ping()
    this.#look()
  }

  /** With each change, once in a turn of the event loop. */
  #tellPresence(): void {
    if (this.#isTold) return
    this.#isTold = true
    queueMicrotask(() => {
      this.#isTold = false
      this.#sendPresence()
    })
  }

  #sendPresence(): void {
    if (this.#connection?.isConnected !== true || !this.#isMember) return
    if (this.#executed === null || this.#adopted === null) return
    const { self: id, name, version, zone, makes } = this.#options
    const presence: Presence = {
      id,
      life: this.#life,
      began: this.#began,
      reached: this.#reached,
      name,
      version,
      genesis: this.#genesis,
      zone,
      clock: Date.now(),
      enode: this.#state.enode,
      executed: this.#executed,
      adopted: this.#adopted,
      refused: this.#refused,
      ready: this.#whyNotReady(performance.now()) === null,
      draining: this.#state.isDraining,
      makes,
      links: this.#links,
    }
    this.#connection.nats.publish(this.#names.presence, encodePresence(presence))
  }

  /** Does what follows from what is known now. */
  #look(): void {
    if (this.#isStopped) return
    const now = performance.now()
    const others = this.#others
    const isAlone = this.#reason(now) !== null || others.length === 0
    const present = others.map(({ presence }) => presence.id).join()
    if (present !== this.#present) {
      this.#present = present
      this.#state.ask(this.status())
      this.#telling?.presentChanged()
      this.#parts.tellEach(this.#listeners)
    }
    this.#holdHeads(!isAlone)
    // While nobody is waited for blocks are adopted with their execution; one under way is told when it is done.
    const headAt = isAlone || this.#adopting !== null ? null : this.#lookAtHead(others, now)
    this.#lookAtMaker(others, now)
    this.#news.announce(others, this.#adopted?.hash ?? null, now)
    const ends = others.flatMap(({ heardAt }) => [heardAt + ANNOUNCED_FOR + 1, heardAt + PRESENT_FOR + 1])
    const next = Math.min(headAt ?? Number.POSITIVE_INFINITY, ...ends.filter((end) => end > now))
    if (this.#lookTimer !== null) clearTimeout(this.#lookTimer)
    this.#lookTimer = Number.isFinite(next) ? setTimeout(() => this.#look(), Math.max(1, next - now)) : null
    if (this.#isMember) this.#news.link(this.#options.self, this.#members?.all ?? [], this.#genesis)
  }

  #holdHeads(isHolding: boolean): void {
    if (isHolding === this.#isHolding) return
    this.#isHolding = isHolding
    const longest = Math.max(LEAST_HOLD, HOLD_WAITS * this.#options.adoptWait)
    this.#chain.holdHeads(isHolding ? longest : null).catch((error: unknown) => this.#failed('head', error))
  }

  /** Adopts what may be adopted. @returns when to look again; null for when something happens */
  #lookAtHead(others: readonly HeardMember[], now: number): number | null {
    const heads = others.map(({ presence: { id, executed, adopted, refused } }) => ({
      id,
      executed: executed.hash,
      adopted: adopted.hash,
      refused,
    }))
    const { step, at } = this.#head.plan(heads, now)
    if (step === null) return at
    const { hash } = step.block
    this.#waits.add(step)
    if (step.why === 'late') this.#count('lateBlocks')
    if (step.why === 'executed') this.#common = hash
    this.#adopting = hash
    this.#chain
      .adopt(hash)
      .catch((error: unknown) => this.#failed('head', error))
      .finally(() => {
        if (this.#adopting === hash) this.#adopting = null
      })
    return null
  }

  #lookAtMaker(others: readonly HeardMember[], now: number): void {
    // While NATS is away the last maker goes on.
    if (this.#connection?.isConnected !== true || !this.#identity.isJoined) return
    const { self: id, name, makes } = this.#options
    const isPresent = this.#reason(now) === null
    const maker: BlockMaker = makerOf(
      isPresent ? { id, name, makes } : null,
      others.map(({ presence }) => presence),
    )
    const text = JSON.stringify(maker)
    if (text === this.#maker) return
    this.#maker = text
    this.#chain.makeBlocks(maker).catch((error: unknown) => this.#failed('maker', error))
  }

  #failed(what: string, error: unknown): void {
    this.#count('failures')
    if (!this.#isStopped) this.#log.warn({ what, err: error }, 'something failed and is tried again')
  }

  #count(name: string, by = 1): void {
    this.#counts[name] = (this.#counts[name] ?? 0) + by
  }
}
