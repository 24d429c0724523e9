import { UncleSelection } from '../../chain/uncleSelection.ts'
import { checkProofOfWork } from '../../chain/validation/proofOfWork.ts'
import type { NetworkSpec } from '../../config/networkSpec.ts'
import { createLocalExecution } from '../../execution/localExecution.ts'
import type { OpenChain } from '../../execution/openChain.ts'
import { AdjustablePolicy } from '../../mining/adjustablePolicy.ts'
import { BlockBuilder, type BuiltBlock } from '../../mining/blockBuilder.ts'
import type { BlockClock } from '../../mining/blockClock.ts'
import { fixedGasPrice, type GasPriceSource, StableGasPrice } from '../../mining/gasPriceSource.ts'
import type { WorkListener, WorkSharing } from '../../mining/interface.ts'
import { readRateFromContract } from '../../mining/rateFromContract.ts'
import { fetchRateFromUrl } from '../../mining/rateFromUrl.ts'
import { WorkServer } from '../../mining/workServer.ts'
import type { TransactionPool } from '../../txpool/transactionPool.ts'
import { asBuffer } from '../../util/bytes.ts'
import type { ProductionOptions } from '../options/chainOptions.ts'
import type { RateSource } from '../options/miningOptions.ts'

/** The parts that blocks are made from. */
export interface BlockMakingParams {
  readonly spec: NetworkSpec
  readonly open: OpenChain
  readonly pool: TransactionPool
  readonly clock: BlockClock
  readonly production: ProductionOptions
  /** 20 bytes. */
  readonly coinbase: Buffer
  readonly extraData: Buffer
  readonly listener: WorkListener
  /** Gets what no block on the head can take. */
  readonly onUnfit: (built: Pick<BuiltBlock, 'unfit' | 'unreadable'>) => void
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Sharing of work with other nodes; null where nobody else has it. */
  readonly sharing: WorkSharing | null
}

/** The parts that make blocks. */
export interface BlockMaking {
  readonly builder: BlockBuilder
  readonly policy: AdjustablePolicy
  /** Work for miners outside the node; null where they are not served. */
  readonly work: WorkServer | null
}

/** Puts the builder of blocks and the work server together. */
export function createBlockMaking(params: BlockMakingParams): BlockMaking {
  const { spec, open, production, coinbase, extraData, now } = params
  const { chain, nativeSpec, stateStore } = open
  const { ancestry, reader } = chain
  const policy = new AdjustablePolicy({
    coinbase,
    gasLimit: production.gasLimit,
    extraData,
    price: createGasPrice(params),
  })
  const builder = new BlockBuilder({
    spec,
    nativeSpec,
    store: stateStore,
    ancestry,
    uncles: new UncleSelection({ spec, nativeSpec, ancestry, reader, now: () => Math.floor(now() / 1000) }),
    policy,
  })
  return { builder, policy, work: createWorkServer(params, builder) }
}

function createWorkServer(params: BlockMakingParams, builder: BlockBuilder): WorkServer | null {
  const { spec, open, pool, clock, production, listener, onUnfit, now, sharing } = params
  if (production.work === null) return null
  const { chain, nativeSpec } = open
  return new WorkServer({
    options: production.work,
    listener,
    build: () => {
      const parent = chain.best
      const built = builder.build(parent, pool.inBlockOrder(), clock.next(parent.timestamp))
      // The pool is of the head: what stands in blocks above it does not fit.
      if (parent === chain.head) onUnfit(built)
      return built.block
    },
    isProven: (header) => checkProofOfWork({ spec, nativeSpec, disabledRules: new Set() }, header) === null,
    connect: (block) => {
      const result = chain.connect(block)
      // It becomes the head when others have it, for all that a pool has to know.
      const isBest = result.status === 'IMPORTED_NOT_BEST' && result.isHeaviest === true
      return isBest ? { status: 'IMPORTED_BEST' } : result
    },
    now,
    ...(sharing === null ? {} : { shared: { sharing, spec, best: () => chain.best.hash } }),
  })
}

function createGasPrice({ spec, open, production, listener, now }: BlockMakingParams): GasPriceSource {
  const { minimumGasPrice, stablePrice } = production
  if (stablePrice === null) return fixedGasPrice(minimumGasPrice)
  const { source, ...options } = stablePrice
  const { chain, nativeSpec, stateStore } = open
  const execution = createLocalExecution({ spec, nativeSpec, store: stateStore })
  return new StableGasPrice({
    ...options,
    fallback: minimumGasPrice,
    fetchRate: createRateReader(source, (contract) => readRateFromContract(execution, chain.head, contract)),
    onFailure: (error) => listener.onFailure(error),
    now,
  })
}

function createRateReader(
  source: RateSource,
  call: (contract: Extract<RateSource, { kind: 'contract' }>['contract']) => bigint,
): () => Promise<bigint> {
  if (source.kind === 'url') return () => fetchRateFromUrl(source.url)
  const { address, caller, callData } = source.contract
  // Bytes that came from another thread lost their Buffer methods.
  const contract = {
    address: asBuffer(address),
    caller: caller === null ? null : asBuffer(caller),
    callData: asBuffer(callData),
  }
  return async () => call(contract)
}
