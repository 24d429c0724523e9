import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import { MessageChannel } from 'node:worker_threads'
import type { FilterOpener } from '../../filters/frontEvents.ts'
import { delay } from '../../fleet/delay.ts'
import { createFilterId } from '../../fleet/filters/filterCall.ts'
import { FleetFilters } from '../../fleet/filters/fleetFilters.ts'
import type {
  FleetFrontEvent,
  FleetFrontService,
  FleetStatus,
  FleetThreadService,
} from '../../fleet/interface.ts'
import type { MemberId } from '../../fleet/member.ts'
import { openMemberId } from '../../fleet/memberFile.ts'
import { unlimitedCaller } from '../../gateway/access/caller.ts'
import type { AccessSharing } from '../../gateway/access/othersUse.ts'
import type { Logger } from '../../observe/logger.ts'
import type { Metrics } from '../../observe/metrics.ts'
import { parseEnode } from '../../p2p/identity/enode.ts'
import { ERROR_TABLE, RpcError, type RpcErrorKind } from '../../rpc/errors.ts'
import { Waits } from '../../util/waits.ts'
import { KeptThread, type LifeParts } from '../keptThread.ts'
import { addFleetMetrics } from '../metrics/fleetMetrics.ts'
import type { FleetOptions } from '../options/fleetOptions.ts'
import { createProxy, serve } from '../proxy/proxy.ts'
import { FleetBook } from './fleetBook.ts'
import type { FleetThreadSetup } from './fleetThread.ts'
import type { Membership, MembershipParts } from './membership.ts'

/** The fleet thread, which is started again when it ends. */
const KIND = {
  name: 'fleet',
  title: 'the fleet thread',
  code: 'FLEET_THREAD',
  patience: 2000,
  firstPause: 500,
  longestPause: 15_000,
  longLife: 60_000,
} as const
/** Milliseconds for which a node that stops waits until the others have its notice. */
const DRAIN_LIMIT = 1000

/** A member of a fleet as its front thread has it. */
export class FleetFront implements Membership {
  readonly #options: FleetOptions
  readonly #log: Logger
  #filters: FleetFilters | null = null
  #book: FleetBook | null = null
  #thread: KeptThread | null = null
  /** Service of the present thread for this one; null while there is none. */
  #service: FleetThreadService | null = null
  /** The caller for requests that other members forward: those who asked them are charged there. */
  readonly #asking = unlimitedCaller('fleet')
  readonly #began = performance.now()
  readonly #polls = new Waits()
  #ask: (request: string) => Promise<Uint8Array> = () => Promise.reject(new RpcError('filterAway'))
  #status: FleetStatus | undefined
  #statusAt = 0
  #isDraining = false

  constructor(options: FleetOptions, log: Logger) {
    this.#options = options
    this.#log = log.child({ part: 'fleet' })
  }

  /** @throws FleetError for a data directory whose id of a member cannot be read */
  readonly filters: FilterOpener = (open) => {
    const self = openMemberId(this.#options.fleet.dataDir)
    const { memory } = this.#asking.account
    this.#filters = new FleetFilters({
      self,
      own: open(() => createFilterId(self)),
      call: (member, payload, milliseconds) => this.#call(member, payload, milliseconds),
      silentFor: (member) => this.#silentFor(member),
      ask: (request) => this.#ask(request),
      memory,
      failure,
    })
    return this.#filters
  }

  readonly access: AccessSharing = {
    sharesKeys: true,
    open: (store) => {
      const book = new FleetBook({
        store,
        self: openMemberId(this.#options.fleet.dataDir),
        // Without a thread it is lost, and reported again by one that begins.
        send: (message) => void this.#service?.counted(message).catch(() => undefined),
        onFailure: (error) => this.#log.warn({ err: error }, 'keys or usage of the fleet are not taken over'),
      })
      this.#book = book
      return { book, others: book }
    },
  }

  status(): FleetStatus | undefined {
    return this.#status
  }

  addMetrics(metrics: Metrics): void {
    addFleetMetrics(metrics, {
      status: () => this.#status,
      polls: () => this.#polls.all,
      busySeconds: () => this.#thread?.busySeconds() ?? 0,
    })
  }

  async start(parts: MembershipParts): Promise<void> {
    const { entry, service } = parts
    this.#ask = (request) => service.ask(request, this.#asking)
    this.#thread = new KeptThread({
      kind: { ...KIND, entry },
      log: this.#log,
      begin: () => this.#begin(parts),
      onFailed: () => service.announce([]),
    })
    await this.#thread.keepStarting()
  }

  async drain(): Promise<void> {
    this.#isDraining = true
    await Promise.race([this.#service?.drain().catch(() => undefined), delay(DRAIN_LIMIT)])
  }

  async close(): Promise<void> {
    await this.#thread?.close()
  }

  #begin(parts: MembershipParts): LifeParts<never> {
    const chain = parts.connectChain()
    const { port1, port2 } = new MessageChannel()
    const data: FleetThreadSetup = { options: this.#options, front: port2, chain }
    const onEvent = (event: FleetFrontEvent) => this.#onEvent(parts, event)
    this.#service = createProxy<FleetThreadService, FleetFrontEvent>(port1, onEvent)
    serve<FleetFrontService>(port1, this.#frontService(parts))
    // The thread itself keeps the process running.
    port1.unref()
    const onGone = () => {
      this.#service = null
      port1.close()
    }
    return { data, ports: [port2, chain], onGone }
  }

  async #call(member: MemberId, payload: Buffer, milliseconds: number): Promise<Uint8Array> {
    if (this.#service === null)
      throw new RpcError('filterAway', 'this node does not reach its fleet now, try again')
    const began = performance.now()
    try {
      return await this.#service.askFilter(member, payload, milliseconds)
    } finally {
      this.#polls.add(performance.now() - began)
    }
  }

  /** Milliseconds since the last message of a member; since the start of this process for one that sent none. */
  #silentFor(member: MemberId): number {
    const now = performance.now()
    const known = this.#status?.members.find(({ id }) => id === member)
    return known === undefined ? now - this.#began : known.seenAgo + now - this.#statusAt
  }

  #onEvent({ service, peers }: MembershipParts, event: FleetFrontEvent): void {
    switch (event.kind) {
      case 'announced':
        service.announce(event.blocks)
        return
      case 'members':
        void peers?.admin
          .setMembers(event.connect.map(parseEnode), event.trusted.map(parseEnode))
          .catch((error: unknown) => this.#log.warn({ err: error }, 'members are not connected as peers'))
        return
      case 'access':
        this.#book?.receive(event.message)
    }
  }

  #frontService({ peers, reasons }: MembershipParts): FleetFrontService {
    return {
      state: async (status) => {
        this.#status = status
        this.#statusAt = performance.now()
        return {
          whyNotReady: reasons()[0] ?? null,
          draining: this.#isDraining,
          enode: peers === null ? null : enodeOf(peers.enode, this.#options.p2pAddress),
          peers: peers?.report?.network.peers.map(({ id }) => id) ?? [],
        }
      },
      answerFilter: async (payload) => {
        if (this.#filters === null) throw new RpcError('filterAway')
        return this.#filters.answer(payload)
      },
    }
  }
}

/** Errors that are the answer; of others the same may be asked again. */
const FINAL: readonly RpcErrorKind[] = ['logLimit', 'overLimit', 'historyNotKept']

function failure(code?: unknown, message?: unknown): RpcError {
  const kind = FINAL.find((name) => ERROR_TABLE[name].code === code)
  return kind !== undefined && typeof message === 'string'
    ? new RpcError(kind, message)
    : new RpcError('filterAway')
}

/** Address at which others reach this node. @param address HOST or HOST:PORT in place of the own one */
function enodeOf(own: string, address: string | null): string | null {
  const { id, host, port } = parseEnode(own)
  if (address !== null) {
    const hasPort = /[^:\]]:[0-9]+$|\]:[0-9]+$/.test(address)
    return `enode://${id}@${hasPort ? address : `${address}:${port}`}`
  }
  // One that takes no connections dials the others.
  if (port === 0) return null
  return isIP(host) !== 0 && /^[0:.]+$/.test(host) ? `enode://${id}@${machineAddress()}:${port}` : own
}

/** An address of this machine, for a node that listens on all of them. */
function machineAddress(): string {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  return all.find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? '127.0.0.1'
}
