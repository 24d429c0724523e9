import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { type NetworkChoice, networkChoice } from '../../config/networks/configured.ts'
import { STATE_FOLDER } from '../../execution/chainFolders.ts'
import { forkSpec } from '../../fork/forkBase.ts'
import type { ForkThreadMessage, ForkThreadSetup } from '../../fork/forkThread.ts'
import { lockDirectory } from '../../native/directoryLock.ts'
import { makePrivateFolder } from '../../storage/fileModes.ts'
import { workerEntry, workerOptions } from '../../util/entry.ts'
import { NodeError } from '../errors.ts'
import type { ResolvedFork } from '../fork/resolveFork.ts'
import { stateStoreOptionsFromConfig } from '../options/storeOptions.ts'
import type { ChainPart, NodeScope } from './nodeScope.ts'

/** Bytes of answers of the upstream in memory. */
const CACHE_BYTES = 128 * 2 ** 20
const MEBIBYTE = 2 ** 20
/** Milliseconds between looks whether something was fetched: whoever waits for the first answers sees what goes on. */
const LOOK_EVERY = 2000
/** Looks between two entries of the log. */
const LOOKS = 5
/** Milliseconds that the end of the thread is waited for. */
const PATIENCE = 5000

/** The network of a fork, in the form of options that cross threads. */
export function forkChoice({ config, fork }: Pick<NodeScope, 'config' | 'fork'>): NetworkChoice {
  const choice = networkChoice(config)
  return fork === null ? choice : { ...choice, fork: forkSpec(fork.base) }
}

/**
 * Starts the thread that asks the network of a fork, before anybody opens the stores.
 * @throws NodeError `FORK`
 */
export async function openFork(scope: NodeScope): Promise<void> {
  const { fork, parts, metrics, reach } = scope
  if (fork === null) return
  metrics.watchFork({ stats: fork.stats, state: () => reach.chain.now?.stateStore ?? null })
  if (!fork.base.servesCellBytes && fork.base.proves !== true) {
    scope.log.warn(
      { upstream: fork.name },
      'the network of the fork does not give rsk_getStorageBytesAt: calls of the Bridge fail; RSKj gives it with its module rsk',
    )
  }
  if (fork.base.proves !== true) {
    scope.log.warn(
      { upstream: fork.name },
      'the network of the fork does not prove what it answers: what it says of accounts and cells is believed',
    )
  }
  const { worker } = await parts.open({ open: () => startThread(scope, fork), close: stopThread })
  const timer = await parts.open({
    open: () => setInterval(reportTo(scope, fork), LOOK_EVERY).unref(),
    close: clearInterval,
  })
  void timer
  worker.on('error', (error) => {
    scope.log.fatal(
      { err: error },
      'the thread that asks the network of the fork failed: what it did not fetch is not there any more',
    )
    reach.chain.now?.stateStore.closeFork()
  })
  worker.on('message', (message: ForkThreadMessage) => {
    if (message.kind !== 'unkept') return
    scope.log.warn(
      { reason: message.message },
      'answers of the network of the fork are not kept for later runs',
    )
  })
}

/** Reads that wait for the network of a fork end with it, once requests were answered. To be opened after the service. */
export async function openForkReads({ fork, parts }: NodeScope, { stateStore }: ChainPart): Promise<void> {
  if (fork === null) return
  await parts.open({ open: () => stateStore, close: () => stateStore.closeFork() })
}

function reportTo({ log, reach }: NodeScope, fork: ResolvedFork): () => void {
  const { stats } = fork
  let reported = stats.get('requests')
  let looks = LOOKS
  return () => {
    const requests = stats.get('requests')
    looks += 1
    if (requests === reported || looks < LOOKS) return
    reported = requests
    looks = 0
    const reads = reach.chain.now?.stateStore.forkStats()
    log.info(
      {
        upstream: fork.name,
        requests,
        megabytes: Math.round(stats.get('bytes') / 1e4) / 100,
        repeated: stats.get('retries'),
        fromDisk: stats.get('kept'),
        fromMemory: reads?.hits ?? 0,
        secondsWaited: Math.round(reads?.waited ?? 0),
      },
      'state of the network of the fork was fetched',
    )
  }
}

async function startThread(
  scope: NodeScope,
  { base, addresses, stats }: ResolvedFork,
): Promise<{ worker: Worker }> {
  const { config } = scope
  const stateFolder = join(config.dataDir, STATE_FOLDER)
  makePrivateFolder(config.dataDir)
  const lock = lockDirectory(config.dataDir)
  if (lock === null) throw new NodeError('DATA_DIR_LOCKED', `${config.dataDir} is in use by another process`)
  lock.release()
  makePrivateFolder(stateFolder)
  const setup: ForkThreadSetup = {
    choice: forkChoice(scope),
    base,
    addresses: addresses.buffer,
    stateFolder,
    storeOptions: stateStoreOptionsFromConfig(config),
    answersFolder: config.forkCache ?? join(config.dataDir, 'fork-cache'),
    answersBytes: config.forkCacheSize * MEBIBYTE,
    cacheBytes: CACHE_BYTES,
    patience: config.forkTimeout * 1000,
    offline: config.offline,
    stats: stats.buffer,
  }
  const worker = new Worker(workerEntry('../../fork/forkThread.ts', import.meta.url), {
    workerData: setup,
    ...workerOptions(import.meta.url),
    name: 'fork',
  })
  await new Promise<void>((resolve, reject) => {
    worker.once('error', reject)
    worker.once('message', (message: ForkThreadMessage) => {
      worker.off('error', reject)
      if (message.kind === 'failed') reject(new NodeError('FORK', message.message))
      else resolve()
      if (message.kind === 'ready' && config.offline) reportOffline(scope, base.number, message.lastRewarded)
    })
  })
  return { worker }
}

/** Each block pays for an old one, which the network has: without it, blocks end there. */
function reportOffline({ log }: NodeScope, forkBlock: number, lastBlock: number): void {
  if (lastBlock === Number.POSITIVE_INFINITY) {
    log.info(
      { forkBlock },
      'the network of the fork is not asked: blocks need none of its old blocks any more',
    )
    return
  }
  const blocks = lastBlock - forkBlock
  log.info(
    { forkBlock, blocks, lastBlock },
    'the network of the fork is not asked: so many blocks above it can be made, as their rewards are of blocks that were fetched',
  )
}

async function stopThread({ worker }: { readonly worker: Worker }): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    worker.on('message', ({ kind }: ForkThreadMessage) => {
      if (kind === 'closed') resolve()
    })
    worker.once('exit', () => resolve())
    setTimeout(resolve, PATIENCE).unref()
  })
  worker.postMessage({ kind: 'close' })
  await closed
  await worker.terminate()
}
