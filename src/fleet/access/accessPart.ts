import { AccessStore } from '../../storage/access/accessStore.ts'
import { localDay } from '../../util/localDay.ts'
import { CallRefusal, FleetError, toFleetError } from '../errors.ts'
import type { MemberId } from '../interface.ts'
import { bucketStream, FleetNames } from '../nats/names.ts'
import { bucketOf } from '../nats/provision.ts'
import type { FleetPart, FleetPartContext } from '../part.ts'
import { FleetUnits } from './fleetUnits.ts'
import { decodeGrantCall, encodeGrantAnswer, GRANT_BYTES } from './grantCodec.ts'
import { KeyFollower } from './keyFollower.ts'
import { QuotaBlocks } from './quotaBlocks.ts'
import { QuotaBucket } from './quotaBucket.ts'
import { GRANT_SERVICE, KEYS_SERVICE, USAGE_SERVICE } from './services.ts'
import { agreeOnTimezone } from './timezone.ts'
import { UsageFlow } from './usageFlow.ts'
import { UsageSettling } from './usageSettling.ts'
import { takeOverSum, UsageSums } from './usageSums.ts'

/** Milliseconds for an answer of the leader: units that come later are asked for again. */
const GRANT_TIME = 250

/** Milliseconds between two messages about the same trouble. */
const COMPLAINT_PERIOD = 60_000

const SWEEP_PERIOD = 5000

/** What keys, quotas and usage of a member are made of. */
export interface AccessPartOptions {
  /** IANA name of the place whose days quotas are counted in: the same for all members. */
  readonly timezone: string
  /** Length of the lease, milliseconds. */
  readonly lease: number
  /** Milliseconds of the boot clock. */
  readonly now: () => number
  /** Milliseconds since 1970. */
  readonly wall: () => number
}

/** Keys, quotas and usage of a fleet, in the fleet thread (fleet.md §7). */
export class AccessPart implements FleetPart {
  readonly name = 'access'
  readonly #options: AccessPartOptions
  #running: Running | null = null

  constructor(options: AccessPartOptions) {
    this.#options = options
  }

  /** @throws FleetError `Differs`, and what NATS refuses; AccessError */
  async start(context: FleetPartContext): Promise<void> {
    this.#running = await Running.start(this.#options, context)
  }

  async stop(): Promise<void> {
    await this.#running?.stop()
    this.#running = null
  }

  reconnected(): void {
    this.#running?.reconnected()
  }

  /** Why a lease may not be renewed now, for operators; null when it may. */
  whyNot(): string | null {
    return this.#running?.whyNot() ?? null
  }

  /** @throws FleetError, CallRefusal */
  async grant(payload: Buffer): Promise<Buffer> {
    if (this.#running === null) throw new FleetError('Closed', 'this member is not in its fleet')
    return this.#running.grant(payload)
  }

  /** Publishes what was counted; what cannot be published now is when this member is back. */
  async drain(): Promise<void> {
    await this.#running?.drain()
  }
}

class Running {
  readonly #options: AccessPartOptions
  readonly #context: FleetPartContext
  readonly #store: AccessStore
  readonly #keys: KeyFollower
  readonly #usage: UsageFlow
  readonly #quotas: QuotaBucket
  readonly #ends: (() => void)[] = []
  readonly #complainedAt = new Map<string, number>()
  #units: { readonly epoch: number; readonly units: FleetUnits } | null = null

  static async start(options: AccessPartOptions, context: FleetPartContext): Promise<Running> {
    const names = new FleetNames(context.fleet)
    const { jetstream } = context
    await agreeOnTimezone(await bucketOf(jetstream, names.state), options.timezone)
    const store = AccessStore.open({ dataDir: context.dataDir, fleet: true })
    try {
      await store.fleetUsage.join(context.fleet, context.view.self)
      const buckets = [names.keys, names.quota].map((name) => bucketOf(jetstream, name))
      const [keys, quota] = await Promise.all(buckets)
      if (keys === undefined || quota === undefined) throw new FleetError('NotCreated', 'no buckets')
      return new Running(options, context, names, store, { keys, quotas: new QuotaBucket(quota) })
    } catch (error) {
      await store.close()
      throw error
    }
  }

  private constructor(
    options: AccessPartOptions,
    context: FleetPartContext,
    names: FleetNames,
    store: AccessStore,
    buckets: {
      readonly keys: Awaited<ReturnType<typeof bucketOf>>
      readonly quotas: QuotaBucket
    },
  ) {
    this.#options = options
    this.#context = context
    this.#store = store
    this.#quotas = buckets.quotas
    const { manager, jetstream, calls, view, count, log } = context
    this.#keys = new KeyFollower({
      bucket: buckets.keys,
      lastSequence: async () => (await manager.streams.info(bucketStream(names.keys))).state.last_seq,
      now: options.now,
      lease: options.lease,
      onKeys: (keys, isWhole) => {
        if (store.takeFleetKeys(keys, isWhole)) this.#tellFront()
      },
      onFailure: (error) => this.#complain('keys', error),
      onUnreadable: (name) => {
        count('keysUnreadable')
        log.warn({ id: name }, 'a record of the keys of the fleet cannot be read: the key is not valid here')
      },
    })
    this.#usage = new UsageFlow({
      store: store.fleetUsage,
      jetstream,
      manager,
      stream: names.usage,
      subjectOf: (member) => names.usageSubject(member),
      self: view.self,
      takeOver: (stream, least, first) => this.#takeOver(stream, least, first),
      onFailure: (error) => this.#complain('usage', error),
      count,
    })
    const settling = new UsageSettling({
      flow: this.#usage,
      store: store.fleetUsage,
      manager,
      stream: names.usage,
      now: options.now,
    })
    const sums = new UsageSums(store, options.now, () => settling.settle())
    const sweep = setInterval(() => sums.sweep(), SWEEP_PERIOD)
    sweep.unref()
    this.#ends.push(
      () => clearInterval(sweep),
      calls.serve(USAGE_SERVICE, (question) => sums.answer(question)),
      calls.serve(GRANT_SERVICE, (payload) => this.#grantHere(payload)),
    )
    this.#keys.restart()
    this.#usage.start()
  }

  async stop(): Promise<void> {
    for (const end of this.#ends) end()
    this.#keys.stop()
    await this.#usage.stop()
    await this.#store.close()
  }

  async drain(): Promise<void> {
    await this.#usage.publish().catch((error: unknown) => this.#complain('usage', error))
  }

  reconnected(): void {
    this.#keys.restart()
    this.#usage.reconnected()
  }

  whyNot(): string | null {
    return this.#keys.isCurrent ? null : 'the keys of the fleet are not read yet'
  }

  async grant(payload: Buffer): Promise<Buffer> {
    const { view, calls } = this.#context
    if (view.isLeader) return this.#grantHere(payload)
    const { leader } = view
    if (leader === null) throw new FleetError('NoMember', 'the fleet has no leader now')
    const call = { service: GRANT_SERVICE, payload, milliseconds: GRANT_TIME, mostBytes: GRANT_BYTES }
    return calls.call(leader, call)
  }

  async #grantHere(payload: Buffer): Promise<Buffer> {
    const { view, count } = this.#context
    if (!view.isLeader) throw new CallRefusal('busy', 'this member is not the leader')
    const call = decodeGrantCall(payload)
    count('grantCalls')
    count('grantKeys', call.asks.length)
    const answer = await this.#unitsOf(view.epoch).grant(call)
    // Its lease may have ended meanwhile: then another leader grants, from buckets of its own.
    if (!view.isLeader) throw new CallRefusal('busy', 'this member is the leader no longer')
    return encodeGrantAnswer(answer)
  }

  /** Units of an epoch: in another one all buckets begin empty. */
  #unitsOf(epoch: number): FleetUnits {
    if (this.#units?.epoch === epoch) return this.#units.units
    const { now, wall, timezone } = this.#options
    const units = new FleetUnits({
      quotas: new QuotaBlocks(this.#quotas, (error) => this.#complain('quotas', error)),
      now,
      day: () => localDay(wall(), timezone),
    })
    this.#units = { epoch, units }
    return units
  }

  async #takeOver(stream: string, least: number, first: readonly MemberId[]): Promise<boolean> {
    const { view, calls } = this.#context
    const others = new Set([...first, ...view.serving])
    for (const member of others) {
      if (member === view.self) continue
      try {
        if (await takeOverSum(this.#store, { calls, member }, stream, least)) return true
      } catch (error) {
        this.#complain('usage', error)
      }
    }
    return false
  }

  #tellFront(): void {
    // It looks at its keys some times a second in any case.
    void this.#context.front.answer(KEYS_SERVICE, Buffer.alloc(0)).catch(() => undefined)
  }

  #complain(what: string, error: unknown): void {
    this.#context.count(`${what}Failures`)
    const now = this.#options.now()
    if (now - (this.#complainedAt.get(what) ?? Number.NEGATIVE_INFINITY) < COMPLAINT_PERIOD) return
    this.#complainedAt.set(what, now)
    this.#context.log.warn({ err: toFleetError(error, `${what} of the fleet`) }, 'the fleet: tried again')
  }
}
