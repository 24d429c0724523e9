import { jetstream } from '@nats-io/jetstream'
import type { Logger } from '../../observe/logger.ts'
import { newLife } from '../../storage/access/lifeUsage.ts'
import { Waits } from '../../util/waits.ts'
import type { FromFront } from '../access/messages.ts'
import { everyAligned } from '../alignedTimer.ts'
import { delay } from '../delay.ts'
import type { FleetBlock } from '../head/fleetBlock.ts'
import { ServedHead } from '../head/servedHead.ts'
import type {
  FleetChainEvent,
  FleetChainService,
  FleetFrontEvent,
  FleetFrontService,
  FleetStatus,
  MemberStatus,
} from '../interface.ts'
import type { MemberId } from '../member.ts'
import { MemberCalls } from '../nats/calls.ts'
import { FleetNames } from '../nats/names.ts'
import { connectFleet, type FleetConnection, type FleetConnectionOptions } from '../nats/natsConnection.ts'
import { toJson } from '../nats/shape.ts'
import type { FleetPart, FleetPartContext } from '../part.ts'
import { TransactionAnnouncer } from '../pool/transactionAnnouncer.ts'
import { Identity, nodeIdOf } from '../presence/identity.ts'
import { CLOCK_DIFFERENCE, Members, PRESENT_FOR, type ReceivedMember } from '../presence/members.ts'
import { encodePresence, type Making, type Presence, PresenceReader } from '../presence/presence.ts'
import { Failures } from './failures.ts'
import { ANNOUNCED_FOR, FrontNews } from './frontNews.ts'
import { linkedMembers } from './links.ts'
import { makerOf } from './maker.ts'
import { OwnState } from './ownState.ts'

/** Milliseconds between two presences without a change. */
const PRESENCE_PERIOD_MILLISECONDS = 500
/** Milliseconds between two questions to the other threads how they are. */
const ASK_PERIOD = 2000
/** Blocks that this member refused and announces. */
const MAX_REFUSED = 8
/** The chain thread adopts by itself after so many waits, and at least so many milliseconds. */
const HOLD_WAITS = 2
const MIN_HOLD_MILLISECONDS = 200
const CLOCK_ALARM = 'clocks of members differ by more than a second: see to their time services'
/** Milliseconds between two attempts to reach NATS at the start. */
const REACH_PAUSE = 1000
/** Service that answers with the status of a member, for `fleet status`. */
export const STATUS_SERVICE = 'status'
/** Service that answers for the filters of a member (fleet.md §8). */
const FILTER_SERVICE = 'filter'

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
  /** Functions that begin the other parts. */
  readonly parts: readonly ((context: FleetPartContext) => FleetPart)[]
  notify(event: FleetFrontEvent): void
  /** Connection to NATS; {@link connectFleet} unless given. */
  readonly connect?: typeof connectFleet
}

/** A member of a fleet at work: presence, heads, transactions, and its parts. */
export class FleetRuntime {
  readonly #options: FleetRuntimeOptions
  readonly #given: FleetRuntimeParts
  readonly #chain: FleetChainService
  readonly #log: Logger
  readonly #news: FrontNews
  readonly #names: FleetNames
  /** This process, as its presence describes it. */
  readonly #self: Pick<Presence, 'id' | 'life' | 'began' | 'name' | 'version' | 'zone' | 'makes'>
  readonly #identity = new Identity()
  readonly #head: ServedHead
  readonly #adoptions = { executed: 0, adopted: 0, late: 0 }
  readonly #adoptWaits = new Waits()
  readonly #sendWaits = new Waits()
  readonly #presences = new PresenceReader()
  readonly #state: OwnState
  readonly #counts: Record<string, number> = {}
  readonly #failures: Failures
  readonly #ends: (() => void)[] = []
  readonly #refused: string[] = []
  readonly #parts: FleetPart[] = []
  #reached = 0
  #members: Members | null = null
  #connection: FleetConnection | null = null
  #announcer: TransactionAnnouncer | null = null
  #calls: MemberCalls | null = null
  #genesis = ''
  #whyNot: string | null = null
  /** The heaviest executed block, and the head. Null before the chain is read. */
  #executed: FleetBlock | null = null
  #adopted: FleetBlock | null = null
  #adopting: Buffer | null = null
  /** The last block that others need no word of: all that are waited for have executed it, or one of them has adopted it. */
  #common: Buffer | null = null
  /** Looks again when something is due. */
  #lookTimer: NodeJS.Timeout | undefined
  #present = ''
  #isHolding: boolean | null = null
  #maker = ''
  #isReporting = false
  /** True in every second tick, which pings the server of NATS. */
  #isPinging = false
  #isStopped = false

  constructor(given: FleetRuntimeParts) {
    const { options, chain, front, log, notify } = given
    const { self: id, name, version, zone, makes } = options
    this.#options = options
    this.#given = given
    this.#chain = chain
    this.#log = log
    this.#news = new FrontNews(notify)
    this.#names = new FleetNames(options.fleet)
    this.#self = { id, life: newLife(), began: Date.now(), name, version, zone, makes }
    this.#state = new OwnState(chain, front)
    this.#head = new ServedHead(options.adoptWait)
    this.#failures = new Failures(log, this.#counts)
  }

  /** Reads the chain, then reaches NATS for as long as that takes. @throws what the chain thread throws */
  async start(): Promise<void> {
    const { zone, lag } = this.#options
    const { genesis, whyNot, adopted, executed, recent } = await this.#chain.begin()
    if (whyNot !== null) this.#log.error({ reason: whyNot }, 'this node does not join its fleet')
    this.#whyNot = whyNot
    this.#genesis = genesis.toString('hex')
    this.#members = new Members({ genesis: this.#genesis, zone }, lag, (block) => this.#head.has(block))
    this.#head.executed(recent, executed, performance.now())
    this.#head.adopted(adopted)
    this.#executed = executed
    this.#adopted = adopted
    this.#ends.push(
      everyAligned(PRESENCE_PERIOD_MILLISECONDS, () => this.#tick()),
      everyAligned(ASK_PERIOD, () => this.#ask()),
    )
    this.#ask()
    void this.#connect()
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    for (const end of this.#ends) end()
    clearTimeout(this.#lookTimer)
    for (const part of this.#parts) await part.stop?.().catch((error: unknown) => this.#failed('part', error))
    this.#calls?.close()
    await this.#connection?.close()
  }

  /** Tells others that this member leaves. */
  async drain(): Promise<void> {
    this.#state.isLeaving = true
    this.#announcePresence()
    this.#look()
    if (this.#connection?.isConnected === true) await this.#connection.nats.flush()
  }

  onChainEvent(event: FleetChainEvent): void {
    const now = performance.now()
    this.#state.receivedFromChain(now)
    switch (event.kind) {
      case 'waited':
        this.#sendWaits.add(event.milliseconds)
        return
      case 'executed':
        this.#executed = event.heaviest
        this.#members?.executed(event.heaviest.totalDifficulty, now)
        this.#head.executed(event.blocks, event.heaviest, now)
        for (const member of this.#members?.all ?? []) this.#head.received(member, now)
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
    if (event.kind !== 'adopted' || this.#common?.equals(event.head.hash) !== true) this.#announcePresence()
    this.#look()
  }

  /** As `FleetAnnouncer.announce`. */
  async announceTransactions(transactions: readonly Buffer[]): Promise<void> {
    if (this.#isMember) await this.#announcer?.announce(transactions)
  }

  announceWork(template: Buffer): void {
    if (this.#isMember) this.#each((part) => part.announceWork?.(template))
  }

  async askFilter(member: MemberId, payload: Buffer, milliseconds: number): Promise<Buffer> {
    if (this.#calls === null) throw new Error('NATS is not reached yet')
    return this.#calls.call(member, FILTER_SERVICE, payload, milliseconds)
  }

  counted(message: FromFront): void {
    this.#each((part) => part.fromFront?.(message))
  }

  /** The fleet as this member sees it. */
  status(): FleetStatus {
    const now = performance.now()
    const reason = this.#reason(now)
    return {
      fleet: this.#names.fleet,
      self: this.#self.id,
      connected: this.#connection?.isConnected === true,
      present: reason === null,
      reason,
      members: (this.#members?.all ?? []).map((member) => this.#statusOf(member, now)),
      adoptions: { ...this.#adoptions },
      waits: { adopt: this.#adoptWaits.all, send: this.#sendWaits.all },
      counts: { ...this.#counts },
    }
  }

  #statusOf(member: ReceivedMember, now: number): MemberStatus {
    const { id, name, version, executed, adopted, links, enode, receivedAt, clockAhead } = member
    const why = this.#members?.whyNot(member, now) ?? null
    const late = this.#head.late.has(id)
    const reason = why ?? (late ? 'late for three blocks in a row' : null)
    const isPeer = linkedMembers([member], this.#state.peers).length > 0
    const linked = enode === null ? null : isPeer || links.includes(this.#self.id)
    const facts = { id, name, version, executed, adopted, clockAhead, late, linked }
    return { ...facts, present: why === null, reason, seenAgo: Math.max(0, now - receivedAt) }
  }

  /** True when this process takes part: it is the only one of its id, and its chain may be one of the fleet. */
  get #isMember(): boolean {
    return this.#identity.isJoined && this.#whyNot === null
  }

  get #links(): readonly MemberId[] {
    return linkedMembers(this.#members?.all ?? [], this.#state.peers)
  }

  get #others(): readonly ReceivedMember[] {
    return this.#isMember ? (this.#members?.present(performance.now()) ?? []) : []
  }

  /** Reason why this member is not present for others; null when it is. */
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
    const { options, connect = connectFleet } = this.#given
    let connection: FleetConnection | null = null
    while (connection === null) {
      if (this.#isStopped) return
      connection = await connect(options.connection).catch(async (error: unknown) => {
        const what = 'NATS is not reached; this node answers alone until it is'
        this.#failures.add('failedConnections', what, error)
        await delay(REACH_PAUSE)
        return null
      })
    }
    if (this.#isStopped) return connection.close()
    this.#connection = connection
    this.#log.info({ server: connection.nats.getServer() }, 'NATS is reached')
    this.#identity.begin(performance.now())
    connection.onEvent((event) => {
      if (event.kind === 'disconnected') this.#log.warn({ server: event.server }, 'NATS is lost')
      if (event.kind === 'connected') {
        this.#reached += 1
        this.#members?.reached(performance.now())
        this.#log.info({ server: event.server }, 'NATS is reached again')
        this.#each((part) => part.reconnected?.())
      }
      this.#announcePresence()
      this.#look()
    })
    this.#open(connection)
  }

  #open(connection: FleetConnection): void {
    const { nats } = connection
    const { dataDir, zone, self } = this.#options
    const { parts, front, notify } = this.#given
    const context: FleetPartContext = {
      nats,
      jetstream: jetstream(nats),
      names: this.#names,
      calls: new MemberCalls(connection, this.#names, self),
      chain: this.#chain,
      self,
      zone,
      dataDir,
      isConnected: () => connection.isConnected && this.#isMember,
      others: () => this.#others.map(({ id }) => id),
      subscribe: (subject, handler) => {
        nats.subscribe(subject, {
          callback: (error, { data }) => {
            const what = `messages of NATS at ${subject} do not parse and are skipped`
            // The bytes are the client's: what is kept is a copy.
            const handle = () => handler(Buffer.from(data))
            if (error === null) this.#failures.guard('skippedMessages', what, handle)
          },
        })
      },
      count: (name, by) => this.#failures.count(name, by),
      onFailure: (what, error) => this.#failed(what, error),
      notifyFront: (message) => notify({ kind: 'access', message }),
    }
    const { calls, subscribe } = context
    this.#calls = calls
    this.#announcer = new TransactionAnnouncer(context)
    this.#parts.push(this.#announcer)
    calls.serve(STATUS_SERVICE, async () => toJson(this.status()))
    calls.serve(FILTER_SERVICE, (payload) => front.answerFilter(payload))
    subscribe(this.#names.subject('presence'), (data) => this.#received(data))
    for (const begin of parts)
      this.#failures.guard('failures', 'a part of the fleet does not begin', () =>
        this.#parts.push(begin(context)),
      )
  }

  #received(data: Buffer): void {
    const presence = this.#presences.read(data)
    if (presence === null) {
      this.#failures.count('otherVersions')
      return
    }
    const now = performance.now()
    const { enode } = this.#state
    const own = { ...this.#self, nodeId: enode === null ? null : nodeIdOf(enode) }
    const before = this.#identity.reason
    if (this.#identity.received(own, presence, now)) {
      const { reason } = this.#identity
      if (reason !== null && before === null)
        this.#log.error({ reason }, 'this process does not join its fleet')
      this.#look()
      return
    }
    const news = this.#members?.received(presence, now, Date.now()) ?? 'same'
    // It says again that it has what this one has: nothing follows from it.
    if (news === 'same' && this.#adopted?.hash.equals(presence.executed.hash) === true) return
    this.#head.received(presence, now)
    if (news === 'first') this.#head.forget(presence.id)
    if (news === 'first' || news === 'again') {
      this.#announcer?.compare(presence.id)
      // It receives the presence of this member at once, too.
      this.#announcePresence()
    }
    this.#look()
  }

  #tick(): void {
    const now = performance.now()
    this.#identity.tick(now)
    this.#members?.sweep(now)
    this.#sendPresence()
    // In the same write.
    this.#isPinging = !this.#isPinging
    if (this.#isPinging) this.#connection?.ping()
    this.#look()
  }

  #ask(): void {
    const status = this.status()
    this.#state.ask(status)
    for (const { name, present, clockAhead } of status.members)
      if (present && Math.abs(clockAhead) > CLOCK_DIFFERENCE)
        this.#failures.add('clockAlarms', CLOCK_ALARM, `${name} is ahead by ${clockAhead} ms`)
  }

  /** With each change, once in a turn of the event loop. */
  #announcePresence(): void {
    if (this.#isReporting) return
    this.#isReporting = true
    queueMicrotask(() => {
      this.#isReporting = false
      this.#sendPresence()
    })
  }

  #sendPresence(): void {
    if (this.#connection?.isConnected !== true || !this.#isMember) return
    if (this.#executed === null || this.#adopted === null) return
    const presence: Presence = {
      ...this.#self,
      reached: this.#reached,
      genesis: this.#genesis,
      clock: Date.now(),
      enode: this.#state.enode,
      executed: this.#executed,
      adopted: this.#adopted,
      refused: this.#refused,
      ready: this.#whyNotReady(performance.now()) === null,
      draining: this.#state.isDraining,
      links: this.#links,
    }
    this.#connection.nats.publish(this.#names.subject('presence'), encodePresence(presence))
  }

  /** Does what follows from what is known now. */
  #look(): void {
    if (this.#isStopped) return
    const now = performance.now()
    const others = this.#others
    const isAlone = this.#reason(now) !== null || others.length === 0
    const present = others.map(({ id }) => id).join()
    if (present !== this.#present) {
      this.#present = present
      this.#ask()
      this.#each((part) => part.presentChanged?.())
    }
    this.#holdHeads(!isAlone)
    // While nobody is waited for blocks are adopted with their execution; one under way is reported when it is done.
    const headAt = isAlone || this.#adopting !== null ? null : this.#lookAtHead(others, now)
    this.#lookAtMaker(others, now)
    this.#news.announce(others, this.#adopted?.hash ?? null, now)
    const ends = others.flatMap(({ receivedAt }) => [
      receivedAt + ANNOUNCED_FOR + 1,
      receivedAt + PRESENT_FOR + 1,
    ])
    const next = Math.min(headAt ?? Number.POSITIVE_INFINITY, ...ends.filter((end) => end > now))
    clearTimeout(this.#lookTimer)
    // Later ones are seen by the tick before them.
    if (next - now <= PRESENCE_PERIOD_MILLISECONDS)
      this.#lookTimer = setTimeout(() => this.#look(), Math.max(1, next - now))
    if (this.#isMember) this.#news.link(this.#options.self, this.#members?.all ?? [], this.#genesis)
  }

  #holdHeads(isHolding: boolean): void {
    if (isHolding === this.#isHolding) return
    this.#isHolding = isHolding
    const longest = Math.max(MIN_HOLD_MILLISECONDS, HOLD_WAITS * this.#options.adoptWait)
    this.#chain.holdHeads(isHolding ? longest : null).catch((error: unknown) => this.#failed('head', error))
  }

  /** Adopts what may be adopted. @returns when to look again; null for when something happens */
  #lookAtHead(others: readonly ReceivedMember[], now: number): number | null {
    const { step, at } = this.#head.plan(others, now)
    if (step === null) return at
    const { hash } = step.block
    this.#adoptions[step.why] += 1
    this.#adoptWaits.add(step.waited)
    if (step.why === 'late') this.#failures.count('lateBlocks')
    if (step.why !== 'late') this.#common = hash
    this.#adopting = hash
    this.#chain
      .adopt(hash)
      .catch((error: unknown) => this.#failed('head', error))
      .finally(() => {
        if (this.#adopting === hash) this.#adopting = null
      })
    return null
  }

  #lookAtMaker(others: readonly ReceivedMember[], now: number): void {
    // While NATS is away the last maker goes on.
    if (this.#connection?.isConnected !== true || !this.#identity.isJoined) return
    const maker = makerOf(this.#reason(now) === null ? this.#self : null, others)
    const text = JSON.stringify(maker)
    if (text === this.#maker) return
    this.#maker = text
    this.#chain.makeBlocks(maker).catch((error: unknown) => this.#failed('maker', error))
  }

  #each(action: (part: FleetPart) => void): void {
    for (const part of this.#parts)
      this.#failures.guard('failures', 'a part of the fleet failed', () => action(part))
  }

  #failed(what: string, error: unknown): void {
    if (!this.#isStopped) this.#failures.add('failures', `the fleet tries again: ${what}`, error)
  }
}
