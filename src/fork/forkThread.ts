import { parentPort, workerData } from 'node:worker_threads'
import { chosenNetwork, type NetworkChoice } from '../config/networks/configured.ts'
import { StateStore } from '../native/stateStore.ts'
import type { StoreOptions } from '../native/types.ts'
import { UpstreamAnswers } from '../storage/upstreamAnswers.ts'
import type { ForkBase } from './forkBase.ts'
import { ForkReads } from './forkReads.ts'
import { SharedStats } from './sharedStats.ts'
import { Upstream } from './upstream.ts'
import { UpstreamAddresses } from './upstreamAddresses.ts'

/** With what the thread begins: plain data. */
export interface ForkThreadSetup {
  readonly choice: NetworkChoice
  readonly base: ForkBase
  /** Memory of `UpstreamAddresses`. */
  readonly addresses: SharedArrayBuffer
  /** Folder of the state store. */
  readonly stateFolder: string
  readonly storeOptions: StoreOptions
  /** Folder of answers of earlier runs. */
  readonly answersFolder: string
  /** Most bytes of them. */
  readonly answersBytes: number
  /** Bytes of answers in memory. */
  readonly cacheBytes: number
  /** Milliseconds that a read waits. */
  readonly patience: number
  readonly offline: boolean
  readonly stats: SharedArrayBuffer
}

/** The messages of the thread about its life. */
export type ForkThreadMessage =
  /** `lastRewarded` is the height up to which rewards need no more blocks of the upstream; infinite where none is needed. */
  | { readonly kind: 'ready'; readonly lastRewarded: number }
  | { readonly kind: 'failed'; readonly message: string }
  /** Answers are not kept for later runs. */
  | { readonly kind: 'unkept'; readonly message: string }
  | { readonly kind: 'closed' }

const port = parentPort
if (port === null) throw new Error('the thread of a fork is started by its node')
const post = (message: ForkThreadMessage) => port.postMessage(message)

try {
  const { close, reads } = open(workerData as ForkThreadSetup)
  port.on('message', () => {
    void close().then(() => post({ kind: 'closed' }))
  })
  post({ kind: 'ready', lastRewarded: reads.lastRewarded })
} catch (error) {
  post({ kind: 'failed', message: error instanceof Error ? error.message : String(error) })
}

/** Answers the reads of the store from now on. @returns what ends that, too */
function open(setup: ForkThreadSetup): { readonly reads: ForkReads; close(): Promise<void> } {
  const { base } = setup
  const store = StateStore.open(setup.stateFolder, setup.storeOptions)
  const answers = new UpstreamAnswers(setup.answersFolder, setup.answersBytes)
  const stats = new SharedStats(setup.stats)
  const upstream = new Upstream(new UpstreamAddresses(setup.addresses), stats)
  const spec = chosenNetwork(setup.choice)
  const { offline } = setup
  const onUnkept = (message: string) => post({ kind: 'unkept', message })
  const reads = new ForkReads({ spec, base, store, upstream, answers, stats, offline, onUnkept })
  const options = {
    number: base.number,
    parentHash: Buffer.from(base.parentHash.slice(2), 'hex'),
    cacheBytes: setup.cacheBytes,
    patience: setup.patience,
  }
  store.attachFork(options, (wanted) => reads.ask(wanted))
  const close = async () => {
    store.closeFork()
    await answers.close()
  }
  return { reads, close }
}
