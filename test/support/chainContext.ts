import { EncodedObjectCache } from '../../src/native/encodedObjectCache.ts'
import { NoPeers } from '../../src/p2p/noPeers.ts'
import type { ChainReader, Interrupt, NodeContext, RpcSettings } from '../../src/rpc/context.ts'
import type { DevCommands } from '../../src/rpc/devCommands.ts'
import { ImpersonatedAccounts } from '../../src/rpc/node/impersonatedAccounts.ts'
import { fromHex } from '../../src/util/bytes.ts'
import { RecordedChain } from './recordedChain.ts'
import { readVectorLines } from './vectors.ts'

/** Settings of the recorded node where it has them. */
export const TEST_SETTINGS: RpcSettings = {
  callGasCap: 10_000_000n,
  estimateGasCap: 6_800_000n,
  stateOverrides: true,
  answersPending: true,
  answersCreations: true,
  revertErrors: 'reference',
  beyondHead: 'cut',
  safeDepth: 0,
  finalizedDepth: 0,
  logBlocks: 2000,
  logCount: 10_000,
  answerBytes: 10 * 1024 * 1024,
  gasPriceFactor: 1100n,
  gasPriceFloor: 0n,
  intervalUnit: 'milliseconds',
  hosted: false,
  keptValues: null,
  keptProofs: null,
  enabled: { modules: ['*'], disabledMethods: [], dev: true },
}

/** A context that reads a recorded chain. What needs state, execution or the writer fails. */
export function createChainContext(
  chain: ChainReader,
  interrupt: Interrupt = { flags: new Int32Array(8192), slot: 0 },
): NodeContext {
  const absent = (what: string) => () => {
    throw new Error(`${what}: not in a context of recorded blocks`)
  }
  return {
    node: { chainId: 33, clientVersion: 'Rhizome/test', protocolVersion: 62, settings: TEST_SETTINGS },
    interrupt,
    status: () => ({
      listening: true,
      peers: [],
      syncing: null,
      coinbase: fromHex('0xec4ddeb4380ad69b3e509baad9f158cdf4e4681d'),
      mining: false,
    }),
    chain,
    encodedObjects: EncodedObjectCache.inMemory(1024 * 1024),
    state: { at: absent('state'), rootAfter: absent('state'), hasValues: absent('state') },
    execution: {
      call: absent('call'),
      output: absent('call'),
      estimate: absent('estimate'),
      get spec() {
        return absent('specification')()
      },
      atKnown: absent('call'),
      simulate: absent('simulation'),
      bodyRoots: absent('roots of a overridden block'),
      isPrecompiled: absent('precompiles'),
      bridge: absent('bridge'),
      bridgeStatus: absent('bridge'),
    },
    tracing: { block: absent('trace of a block'), call: absent('trace of a call') },
    pool: {
      transaction: () => null,
      isPending: () => false,
      nextNonce: () => null,
      pending: () => [],
      queued: () => [],
      quota: () => null,
      block: absent('pending block'),
    },
    commands: {
      sendTransaction: async () => ({ status: 'refused', reason: 'transaction nonce too low', stats: {} }),
      mine: async () => undefined,
      dev: absentDevCommands(),
      mining: null,
    },
    peers: new NoPeers(),
    impersonated: new ImpersonatedAccounts(),
    wallet: null,
    refresh: () => undefined,
    release: () => undefined,
  }
}

/** Every command throws. */
function absentDevCommands(): DevCommands {
  const absent = () => {
    throw new Error('control of the chain: not in a context of recorded blocks')
  }
  return new Proxy({} as DevCommands, { get: () => absent })
}

/** Context options of {@link openNodeContext}. */
export interface FixtureOptions {
  /** Hash of the head, `0x` hex. */
  readonly head: string
  /** Ends the worker when an account's state is read, to show what a crash does. */
  readonly dieOnState?: boolean
  /** Never comes back from a read of an account's state, to show what a fault in a loop does. */
  readonly freezeOnState?: boolean
  /** Counts the turns of the worker's event loop: one number of 32 bits. */
  readonly turns?: SharedArrayBuffer
}

/** Entry for pool workers: the recorded main chain. */
export function openNodeContext(options: unknown, interrupt: Interrupt): NodeContext {
  const { head, dieOnState, freezeOnState, turns } = options as FixtureOptions
  if (turns !== undefined) countTurns(new Int32Array(turns))
  const chain = new RecordedChain(readVectorLines('rpc/chain-main.jsonl'))
  const context = createChainContext(chain.readerAt(fromHex(head)), interrupt)
  if (freezeOnState === true) return { ...context, state: { ...context.state, at: freeze } }
  if (dieOnState !== true) return context
  return { ...context, state: { ...context.state, at: () => process.exit(1) } }
}

function countTurns(turns: Int32Array): void {
  Atomics.add(turns, 0, 1)
  setImmediate(() => countTurns(turns))
}

/** No interrupt flag and no time limit ends this. */
function freeze(): never {
  for (;;);
}
