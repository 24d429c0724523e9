import { join } from 'node:path'
import { isDevelopmentNetwork } from '../../config/networkSpec.ts'
import { STATE_FOLDER, storeFolders } from '../../execution/chainFolders.ts'
import type { HeadNotice } from '../../filters/events.ts'
import { StateStore } from '../../native/stateStore.ts'
import type { NodeStatus } from '../../rpc/context.ts'
import { findExposed, storePaths } from '../../storage/fileModes.ts'
import { type ChainHandleListener, startChainThread } from '../chainThread/chainHandle.ts'
import type { HeadStats } from '../chainThread/chainListener.ts'
import { diskNeed, shortageOf } from '../diskNeed.ts'
import { createFrontMining } from '../frontMining.ts'
import { HeadTableLog } from '../headTableLog.ts'
import { type ChainOptions, chainOptionsFromConfig } from '../options/chainOptions.ts'
import { forkChoice } from './forkPart.ts'
import type { ChainPart, NodeScope } from './nodeScope.ts'

/** Settings for the making of blocks; events change them. */
type Production = Pick<NodeStatus, 'coinbase' | 'priceTarget' | 'mining'>

/**
 * Starts the chain thread, which settles whose the data directory is. It makes no blocks yet.
 * @param funded accounts of a development chain beside those of genesis
 * @throws NodeError when the data directory cannot be used
 */
export async function openChain(scope: NodeScope, funded: ChainOptions['funded']): Promise<ChainPart> {
  const { config, fork, version, parts, reach, metrics } = scope
  const options: ChainOptions = {
    ...chainOptionsFromConfig(config, `Rhizome-${version}`, funded),
    ...forkChoice(scope),
    ...(fork === null ? {} : { forkBase: fork.base }),
  }
  const chain = await parts.open(
    {
      open: () => startChain(scope, options),
      close: async ({ handle, stateStore }) => {
        await handle.close()
        stateStore.close()
      },
    },
    reach.chain,
  )
  const { handle, stateStore } = chain
  warnOfDataDir(scope)
  await parts.open({
    open: () => new HeadTableLog(stateStore, scope.log).watch(),
    close: (stop) => stop(),
  })
  metrics.chain.started(handle.head, handle.headTime, handle.pool)
  if (config.mergedMining) {
    await parts.open(
      {
        open: () => createFrontMining(handle.service, config.workRefreshTime * 1000, Date.now),
        close: () => undefined,
      },
      reach.mining,
    )
  }
  return chain
}

async function startChain(scope: NodeScope, options: ChainOptions): Promise<ChainPart> {
  const production: Mutable<Production> = {
    coinbase: null,
    priceTarget: null,
    mining: scope.config.mining,
  }
  const report = reportTo(scope, production)
  const handle = inThisThread(scope, options)
    ? (await import('../chainThread/chainHere.ts')).openChainHere(options, report)
    : await startChainThread(options, report)
  production.coinbase = handle.choices.coinbase
  production.priceTarget = handle.choices.priceTarget
  try {
    const stateStore = StateStore.open(join(options.dataDir, STATE_FOLDER), options.storeOptions)
    return { handle, options, stateStore, production }
  } catch (error) {
    await handle.close()
    throw error
  }
}

/**
 * A development chain in memory is one for tests, as is one that makes a block for each transaction: whoever asks waits
 * for the answer, so that a thread of its own for the chain only adds the waking of threads and the memory of a heap.
 * Where blocks come in an interval others ask meanwhile, and should not wait for the disk; where a fork waits for its
 * network, sockets must go on.
 */
function inThisThread({ config, fork }: NodeScope, { fleet, production }: ChainOptions): boolean {
  const isAlone = !config.peers && fleet === null && fork === null
  const isAskedInTurn = config.inMemory || (config.profile === 'dev' && production.mode.instant)
  return isAskedInTurn && isAlone && isDevelopmentNetwork({ name: config.network })
}

/** Passes events of the chain thread on to the parts that are open. */
function reportTo(
  { developer: { reports }, log, metrics, tracing, reach: { mining, service, stores } }: NodeScope,
  production: Mutable<Production>,
): ChainHandleListener {
  return {
    onHeader: (header) => stores.now?.context.knowHeader?.(header),
    onHead: (notice, pool, stats) => {
      metrics.chain.headChanged(notice, pool, stats)
      if (stats.seconds > 0) tracing?.imported(stats.seconds, importMetadata(notice, stats))
      mining.now?.headChanged(notice)
      service.now?.headChanged(notice)
      if (stores.now !== null) reports?.headChanged(stores.now.context, notice)
    },
    onExecuted: (height) => service.now?.blockExecuted(height),
    onPending: (transactions) => service.now?.pendingAdded(transactions),
    onUnreadable: (hash, reason) => {
      if (reports === null) log.warn({ transaction: hash, reason }, 'a transaction left the pool')
      else reports.dropped(hash, reason)
    },
    onMining: (on) => {
      production.mining = on
      service.now?.onChange()
    },
    onChange: ({ coinbase, priceTarget }) => {
      production.coinbase = coinbase
      production.priceTarget = priceTarget
      mining.now?.settingsChanged()
      service.now?.onChange()
    },
    onStore: (fault) => {
      metrics.chain.storeChanged(fault)
      if (fault === null) log.info('the store takes writes again')
      else log.error({ reason: fault }, 'nothing is written until that is mended; reads go on')
    },
    onPruned: (pruned) => {
      if ('firstValues' in pruned)
        log.info({ firstValues: pruned.firstValues }, 'values before this block were given up')
      else {
        const { firstState, bytes } = pruned
        log.info({ firstState, bytes }, 'tries before this block were given up, and their bytes given back')
      }
    },
    onWork: (work) => {
      metrics.mining.workBuilt()
      mining.now?.workBuilt(work)
      service.now?.workBuilt(work)
    },
    onSubmission: (result, age) => {
      metrics.mining.solutionSubmitted(result, age)
      log.info({ result, age }, 'a miner sent a solution')
    },
    onFault: (text) => log.error({ error: text }, 'work in the chain thread failed'),
  }
}

function warnOfDataDir({ config, log }: NodeScope): void {
  const exposed = findExposed([config.dataDir, ...storeFolders(config.dataDir).flatMap(storePaths)])
  if (exposed.length > 0) {
    log.warn(
      { paths: exposed },
      'others have rights on the data directory, which is of another user: take them away',
    )
  }
  const need = config.peers ? diskNeed(config.network, config.dataDir) : null
  const shortage = need && shortageOf(need)
  if (shortage !== null)
    log.warn(
      shortage,
      'an archive of this network is computed to need more than the disk has: nothing is written at its end',
    )
}

function importMetadata(
  { enacted }: HeadNotice,
  { gas }: HeadStats,
): { blocks: number; head: number; gas: number } {
  return { blocks: enacted.length, head: enacted.at(-1)?.number ?? 0, gas }
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] }
