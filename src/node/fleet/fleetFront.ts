import { USAGE_SERVICE } from '../../fleet/access/services.ts'
import { SETTLE_TIME } from '../../fleet/access/usageSettling.ts'
import { SETTLE_QUESTION } from '../../fleet/access/usageSums.ts'
import type { FleetFrontEvent, FleetFrontService, FleetStatus, SharedLease } from '../../fleet/interface.ts'
import type { FleetGate, FleetGateOptions } from '../../gateway/entrance/fleetGate.ts'
import { SEARCH_SERVICE } from '../../gateway/fanOut/partCall.ts'
import type { SearchMembers } from '../../gateway/fanOut/partRunner.ts'
import { bootClock } from '../../native/bootClock.ts'
import { RpcError } from '../../rpc/errors.ts'
import type { FleetFrontOptions } from '../options/fleetOptions.ts'
import type { FleetHandle, FleetHandleParts } from './parts.ts'

/** Milliseconds that the fleet may take to take over from a member that leaves. */
const DRAIN_LIMIT = 5000

/** Answers calls of other members for a service of the front thread (fleet.md §10). */
export type FrontCallAnswerer = (payload: Buffer) => Promise<Buffer>

/** Starts the fleet thread. */
export type StartFleetThread = (parts: FleetHandleParts) => Promise<FleetHandle>

/** What the thread is started with beside what the front thread has for it. */
export type FleetThreadParts = Omit<FleetHandleParts, 'front' | 'sharedLease' | 'onEvent'>

/** A member of a fleet as the front thread has it: its gate, what it was told, and the fleet thread. */
export class FleetFront {
  readonly #options: FleetFrontOptions
  readonly #answerers = new Map<string, FrontCallAnswerer>()
  readonly #lease: SharedLease = {
    deadline: new Float64Array(new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT)),
  }
  #gate: FleetGate | null = null
  #handle: FleetHandle | null = null
  #status: FleetStatus | null = null
  readonly #followers: ((event: FleetFrontEvent) => void)[] = []

  constructor(options: FleetFrontOptions) {
    this.#options = options
  }

  /** Of what the gate of the service is made. */
  get gateOptions(): Omit<FleetGateOptions, 'head'> {
    const { hold, servesIsolated } = this.#options
    return { lease: this.#lease, clock: bootClock, hold, servesIsolated }
  }

  /** With whom long searches are shared. */
  get searchMembers(): SearchMembers {
    return {
      others: async () => (await this.#handle?.service.others()) ?? [],
      search: async (member, call, milliseconds) => {
        if (this.#handle === null) throw new RpcError('fleetAway')
        return await this.#handle.service.call(member, SEARCH_SERVICE, call, milliseconds)
      },
    }
  }

  /** null until the service listens. */
  get gate(): FleetGate | null {
    return this.#gate
  }

  /** What the fleet thread told last; null before. */
  get status(): FleetStatus | null {
    return this.#status
  }

  /** The fleet thread; null until it is started. */
  get handle(): FleetHandle | null {
    return this.#handle
  }

  /** Answers a service to other members. */
  serve(service: string, answer: FrontCallAnswerer): void {
    this.#answerers.set(service, answer)
  }

  /** Has somebody told of every event of the fleet thread, after the gate. */
  follow(follower: (event: FleetFrontEvent) => void): void {
    this.#followers.push(follower)
  }

  /**
   * Starts the fleet thread.
   * @param gate of the service that listens
   * @throws NodeError
   */
  async start(start: StartFleetThread, gate: FleetGate, parts: FleetThreadParts): Promise<void> {
    this.#gate = gate
    this.#handle = await start({
      ...parts,
      front: this.#service(gate),
      sharedLease: this.#lease,
      onEvent: (event) => {
        if (event.kind === 'status') this.#status = event.status
        else gate.onEvent(event)
        for (const follower of this.#followers) follower(event)
      },
    })
  }

  /** Why requests are to go to another member; empty when they need not. */
  reasons(): string[] {
    const gate = this.#gate
    if (gate === null) return ['fleet: this node is starting']
    const { absence } = gate
    if (absence === null) return []
    const why = this.#status?.reason ?? null
    return [why === null ? `fleet: ${ABSENCES[absence]}` : `fleet: ${ABSENCES[absence]}: ${why}`]
  }

  /** Leaves the fleet in good order, as far as that takes no longer than it may. */
  async drain(): Promise<void> {
    if (this.#handle === null) return
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, DRAIN_LIMIT)
    })
    // Others take over when the lease is over, whatever this one still says.
    await Promise.race([this.#handle.service.drain().catch(() => undefined), late])
    clearTimeout(timer)
  }

  /**
   * Brings the sum of usage of this member up to what any member may have told before (fleet.md §7).
   * @throws RpcError `fleetAway`
   */
  async settleUsage(): Promise<void> {
    const self = this.#status?.self ?? ''
    if (this.#handle === null || self === '') throw new RpcError('fleetAway', STARTING)
    try {
      await this.#handle.service.call(self, USAGE_SERVICE, SETTLE_QUESTION, 2 * SETTLE_TIME)
    } catch (error) {
      if (error instanceof RpcError) throw error
      const text = 'this member does not have the usage of its fleet yet: ask again or ask another one'
      throw new RpcError('fleetAway', text, { cause: error })
    }
  }

  /** Ends the fleet thread. */
  async close(): Promise<void> {
    await this.#handle?.close()
  }

  #service(gate: FleetGate): FleetFrontService {
    return {
      hold: async (revision) => gate.hold(revision),
      answer: async (service, payload) => {
        const answer = this.#answerers.get(service)
        if (answer === undefined) throw new RpcError('methodNotFound', `no service ${service}`)
        return await answer(payload)
      },
      ping: async () => undefined,
    }
  }
}

const STARTING = 'this node is joining its fleet: ask another one'

const ABSENCES = {
  joining: 'this node is joining',
  cutOff: 'this node is cut off',
  held: 'a change of the head takes long',
  unsigned: 'the head lacks signatures',
  draining: 'this node leaves',
} as const
