import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { parentPort } from 'node:worker_threads'
import { ChainStoreReader } from '../../chain/chainStoreReader.ts'
import { chosenNetwork } from '../../config/networks/configured.ts'
import { CHAIN_FOLDER } from '../../execution/chainFolders.ts'
import { CallRefusal, FleetError, type FleetErrorCode } from '../../fleet/errors.ts'
import type {
  FleetChainEvent,
  FleetChainService,
  FleetFrontEvent,
  FleetFrontService,
  FleetPublisher,
  FleetThreadService,
} from '../../fleet/interface.ts'
import { FleetRuntime } from '../../fleet/runtime/fleetRuntime.ts'
import { readMemberKey } from '../../fleet/snapshots/memberKey.ts'
import { WorkPart } from '../../fleet/work/workPart.ts'
import { bootClock } from '../../native/bootClock.ts'
import { createLogger } from '../../observe/logger.ts'
import { ERROR_TABLE, RpcError, type RpcErrorKind } from '../../rpc/errors.ts'
import type { SignerKey } from '../../snapshot/blsKeys.ts'
import { ChainEnvironment } from '../../storage/chainEnvironment.ts'
import { createProxy, serve } from '../../workers/proxy.ts'
import { NodeError } from '../errors.ts'
import { createFleetParts } from './fleetParts.ts'
import type { FleetThreadMessage, FleetThreadOrder, FleetThreadSetup } from './messages.ts'

const STATUS_INTERVAL = 1000
const SECOND = 1000

/** What goes by when it is tried again: servers that start, a log without a quorum. */
const PASSING: readonly FleetErrorCode[] = [
  'Unreachable',
  'Timeout',
  'NoJetStream',
  'Failed',
  'Closed',
  'Malformed',
]

/** All of the fleet thread, until it is told to close. What nobody catches ends this thread alone. */
export async function runFleetThread({ options, front, chain, deadline }: FleetThreadSetup): Promise<void> {
  const spec = chosenNetwork(options.chain)
  const { logLevel: level, logFormat: format } = options.log
  const log = createLogger({ level, format }).child({ part: 'fleet' })
  const environment = new ChainEnvironment(join(options.dataDir, CHAIN_FOLDER), { readOnly: true })
  let isEnding = false
  const end = async (message: FleetThreadMessage) => {
    if (isEnding) return
    isEnding = true
    clearInterval(statuses)
    deadline[0] = 0
    await runtime.stop()
    front.close()
    chain.close()
    // Reads that stay open would keep the store from reusing space as long as the process lives.
    await environment.close()
    post(message)
    parentPort?.close()
  }
  process.once('uncaughtException', (error) => {
    deadline[0] = 0
    post({ kind: 'died', reason: error instanceof Error ? (error.stack ?? error.message) : String(error) })
    void environment.close().finally(() => process.exit(1))
  })
  let tell: (event: FleetFrontEvent) => void = () => undefined
  const elu = createLoadMeter()
  const work = new WorkPart()
  let key: Promise<SignerKey | null> | null = null
  // Its passphrase is stretched once.
  const readKey = () => {
    key ??= options.signerKey === null ? Promise.resolve(null) : readMemberKey(options.signerKey)
    return key
  }
  const runtime = new FleetRuntime({
    options: {
      connection: options.connection,
      fleet: options.name,
      name: options.member,
      version: options.version,
      dataDir: options.dataDir,
      pool: options.pool,
      heads: options.heads,
      times: { lease: options.lease, round: options.round, hold: options.hold, lag: options.lag * SECOND },
    },
    spec,
    environment,
    reader: new ChainStoreReader(spec, environment),
    chain: createProxy<FleetChainService, FleetChainEvent>(chain, (event) => runtime.onChainEvent(event)),
    front: createProxy<FleetFrontService>(front),
    shared: { deadline },
    clock: bootClock,
    log,
    parts: createFleetParts(options, work, readKey),
    readKey,
    tell: (event) => tell(event),
    load: elu,
    onFailure: (error) => void end({ kind: 'died', reason: error.message }),
  })
  serve<FleetPublisher>(chain, {
    publishTransactions: (encoded, after) => asRpc(() => runtime.publishTransactions(encoded, after)),
    whenStable: (sequence) => asRpc(() => runtime.whenStable(sequence)),
    publishWork: (template) => asRpc(() => work.publish(template)),
    askForWork: async () => work.ask(),
  })
  tell = serve<FleetThreadService, FleetFrontEvent>(front, {
    call: (member, service, payload, milliseconds) =>
      asRpc(() => runtime.call(member, service, payload, milliseconds)),
    grant: (payload) => asRpc(() => runtime.grant(payload)),
    others: async () => runtime.others(),
    drain: () => runtime.drain(),
    status: async () => runtime.status(),
  })
  const statuses = setInterval(() => tell({ kind: 'status', status: runtime.status() }), STATUS_INTERVAL)
  parentPort?.on('message', (_order: FleetThreadOrder) => void end({ kind: 'closed' }))
  try {
    await runtime.start()
    post({ kind: 'ready' })
  } catch (error) {
    log.debug({ err: error }, 'the fleet thread cannot begin')
    const reason = error instanceof Error ? error.message : String(error)
    const isPassing = !(error instanceof FleetError) || PASSING.includes(error.code)
    if (isPassing) await end({ kind: 'died', reason })
    else await end({ kind: 'failed', error: new NodeError('FLEET_THREAD', reason).toObject() })
  }
}

/** Failures of the fleet as clients see them; refusals of other members as they were. */
async function asRpc<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof CallRefusal && isKind(error.kind))
      throw new RpcError(error.kind, error.message, error.data === undefined ? {} : { data: error.data })
    if (error instanceof CallRefusal || error instanceof FleetError)
      throw new RpcError('fleetAway', error.message, { cause: error })
    throw error
  }
}

function isKind(kind: string): kind is RpcErrorKind {
  return Object.hasOwn(ERROR_TABLE, kind)
}

/** Share of time since the last call in which this thread was not idle. */
function createLoadMeter(): () => number {
  let last = performance.eventLoopUtilization()
  let lastAt = performance.now()
  let share = 0
  return () => {
    if (performance.now() - lastAt >= STATUS_INTERVAL) {
      const now = performance.eventLoopUtilization()
      share = performance.eventLoopUtilization(now, last).utilization
      last = now
      lastAt = performance.now()
    }
    return Math.min(1, Math.max(0, share))
  }
}

function post(message: FleetThreadMessage): void {
  parentPort?.postMessage(message)
}
