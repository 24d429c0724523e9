import type { BitcoinChain } from './bitcoin/bitcoinChain.ts'
import { RehearsalError } from './errors.ts'
import { keyPairOfSeed } from './keyPair.ts'
import type { StepReport } from './report.ts'
import { Bridge } from './rootstock/bridgeContract.ts'
import { type JsonRpc, RootstockNode } from './rootstock/rootstockNode.ts'
import { createScene, type Scene } from './scene.ts'
import { activate, elect, migrate, retire, validate } from './steps/federationChange.ts'
import { flyover } from './steps/flyover.ts'
import {
  lostPegin,
  peginOfKeyHash,
  peginOfWitness,
  peginWithInstructions,
  rejectedPegin,
  startBitcoin,
} from './steps/pegins.ts'
import { pegout, refund, requestPegouts } from './steps/pegouts.ts'

const REGTEST_CHAIN_ID = 33

const STEPS: readonly ((scene: Scene) => Promise<StepReport>)[] = [
  startBitcoin,
  peginOfKeyHash,
  peginOfWitness,
  peginWithInstructions,
  rejectedPegin,
  lostPegin,
  flyover,
  refund,
  requestPegouts,
  pegout,
  elect,
  validate,
  activate,
  migrate,
  retire,
  requestPegouts,
  pegout,
]

/** Options of a rehearsal. */
export interface RehearsalOptions {
  /** A development node of regtest whose Bridge has not been used. */
  readonly ask: JsonRpc
  /**
   * Receiver on Rootstock of a peg-in with instructions, 20 bytes; by default one of its own.
   */
  readonly receiver?: Buffer | undefined
}

/**
 * The two-way peg on one machine: a simulated federation and a Bitcoin chain of regtest in memory, against a
 * development node over JSON-RPC. The keys are public knowledge (bridge.md §6.2, §6.3).
 */
export class Rehearsal {
  readonly #scene: Scene

  constructor({ ask, receiver = keyPairOfSeed('rehearsal receiver').address }: RehearsalOptions) {
    this.#scene = createScene(new Bridge(new RootstockNode(ask)), receiver)
  }

  /** The Bitcoin chain, with every transaction that was mined. */
  get bitcoin(): BitcoinChain {
    return this.#scene.chain
  }

  /** Number of steps. */
  get length(): number {
    return STEPS.length
  }

  /** Runs the steps. @throws RehearsalError when the node is not suitable, or a step fails */
  async *run(): AsyncGenerator<StepReport, void, undefined> {
    await assertSuitable(this.#scene)
    for (const step of STEPS) yield await step(this.#scene)
  }
}

async function assertSuitable({ bridge, members }: Scene): Promise<void> {
  const chainId = await bridge.node.chainId()
  if (chainId !== REGTEST_CHAIN_ID) {
    throw new RehearsalError(
      'UNSUITABLE',
      `the node is of chain ${chainId}: a peg is rehearsed on regtest (chain ${REGTEST_CHAIN_ID}), whose keys everybody knows`,
    )
  }
  await bridge.node.mine(1).catch((error: Error) => {
    throw new RehearsalError(
      'UNSUITABLE',
      `the node makes no blocks when it is asked to: its profile must be dev (${error.message})`,
    )
  })
  const height = await bridge.readNumber('getBtcBlockchainBestChainHeight()')
  const keys = await Promise.all(
    members.map((_, index) => bridge.readBytes('getFederatorPublicKeyOfType(int256,string)', [index, 'btc'])),
  )
  const isGenesis = members.every(({ btc }) => keys.some((key) => key.equals(btc.publicKey)))
  if (height === 0 && isGenesis) return
  throw new RehearsalError(
    'UNSUITABLE',
    'the Bridge of this node has been used: a rehearsal needs a chain of which it is new, such as a node started anew',
  )
}
