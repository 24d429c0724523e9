import { parentPort } from 'node:worker_threads'
import { chosenNetwork } from '../../config/networks/configured.ts'
import { storeFolders } from '../../execution/chainFolders.ts'
import { StateStore } from '../../native/stateStore.ts'
import { createLogger, type Logger } from '../../observe/logger.ts'
import { type EnodeAddress, formatEnode } from '../../p2p/identity/enode.ts'
import { NodeKeyError, openNodeKey } from '../../p2p/identity/nodeKeyFile.ts'
import type { PeerAdmin } from '../../p2p/peerAdmin.ts'
import type { PeerAddress } from '../../p2p/peers/ports.ts'
import type { NodeKey } from '../../p2p/wire/curve.ts'
import { ChainEnvironment } from '../../storage/chainEnvironment.ts'
import { linkBackfillStore } from '../../sync/backfill/backfillLink.ts'
import { openLinkedChain } from '../../sync/link/linkedChain.ts'
import { createOlderRootCheck } from '../../sync/olderRoots/olderRootCheck.ts'
import { storedStates } from '../../sync/serve/storedStates.ts'
import { linkSnapshotStore } from '../../sync/snapshot/linkedSnapshotStore.ts'
import type { SyncChain } from '../../sync/syncChain.ts'
import { toHex } from '../../util/bytes.ts'
import { NodeError } from '../errors.ts'
import type { LifeMessage } from '../keptThread.ts'
import type { PeerOptions } from '../options/peerOptions.ts'
import { HaltFile } from './haltFile.ts'
import type { PeerThreadNotice, PeerThreadOrder, PeerThreadReady, PeerThreadSetup } from './messages.ts'
import { createPeerCommands, resolvePeer } from './peerCommands.ts'
import { openPeerNode, type PeerNode } from './peerNode.ts'

/** Time between two reports, milliseconds. */
const REPORT_INTERVAL_MILLISECONDS = 1000

/**
 * All of the peer thread, until it is ordered to close. What nobody catches ends this thread alone: the front thread
 * starts another one, which goes on from what is stored.
 */
export async function runPeerThread({ options, chain: port }: PeerThreadSetup): Promise<void> {
  const spec = chosenNetwork(options)
  const log = createLogger(options.log)
  const [stateFolder, chainFolder] = storeFolders(options.dataDir)
  const environment = new ChainEnvironment(chainFolder, { readOnly: true })
  process.once('uncaughtException', (error) => {
    send({ kind: 'died', stack: error instanceof Error ? (error.stack ?? error.message) : String(error) })
    port.close()
    // Reads that stay open would keep the store from reusing space as long as the process lives.
    void environment.close().finally(() => process.exit(1))
  })
  const stateStore = StateStore.open(stateFolder, options.storeOptions)
  const chain = await openLinkedChain(port, spec, environment)
  const statics = await Promise.all(options.statics.map((peer) => resolved(peer, log)))
  const known = statics.filter((peer) => peer !== null)
  const haltFile = new HaltFile(options.dataDir, log)
  let key: NodeKey
  let node: PeerNode
  try {
    key = openNodeKey(options.dataDir)
    assertCheckpoints(options, chain)
    node = await openPeerNode({
      options,
      key,
      chain,
      snapshots: linkSnapshotStore(port),
      filled: linkBackfillStore(port),
      states: options.snapshotServer ? storedStates(stateStore) : null,
      statics: known,
      log,
      onHalt: (halt) => haltFile.write(halt),
    })
  } catch (error) {
    chain.close()
    await environment.close()
    send({ kind: 'failed', error: toPeerError(error, options).toObject() })
    parentPort?.close()
    return
  }
  const olderRoots = createOlderRootCheck({
    spec,
    reader: chain.reader,
    stateStore,
    log: log.child({ part: 'sync' }),
    onDifference: ({ number, hash, expected, found }) =>
      node.stopAt({ number, hash, rule: 'stateRoot', expected: toHex(expected), found: toHex(found) }),
  })
  chain.onTip((change) => {
    chain.refresh()
    olderRoots.onTip(change)
  })
  const commands = createPeerCommands(node, { key, options, networkId: spec.p2p.networkId })
  let isReceived = true
  const report = () => {
    if (isReceived) send({ kind: 'report', report: node.report() })
    isReceived = false
  }
  const reports = setInterval(report, REPORT_INTERVAL_MILLISECONDS)
  parentPort?.on('message', (order: PeerThreadOrder) => {
    if (order.kind === 'admin') {
      void answer(commands, order).then(send)
      return
    }
    if (order.kind === 'received') {
      isReceived = true
      return
    }
    clearInterval(reports)
    void node.close().then(async () => {
      chain.close()
      await olderRoots.close()
      // The state store stays open: it is one for all threads, and the chain thread may still write.
      await environment.close()
      send({ kind: 'closed' })
      parentPort?.close()
    })
  })
  report()
  const host = options.address ?? options.host
  const id = key.id.toString('hex')
  const enode = formatEnode({ id, host, port: node.port })
  send({ kind: 'ready', value: { enode, port: node.port || null } })
}

async function answer(
  commands: PeerAdmin,
  order: Extract<PeerThreadOrder, { kind: 'admin' }>,
): Promise<PeerThreadNotice> {
  const { id, call, args } = order
  try {
    const command = commands[call].bind(commands) as (...args: readonly unknown[]) => Promise<unknown>
    return { kind: 'answer', id, value: await command(...args) }
  } catch (error) {
    return { kind: 'refusal', id, reason: error instanceof Error ? error.message : String(error) }
  }
}

/** A node whose name is not resolved now is left out; the others are dialled. */
async function resolved(peer: EnodeAddress, log: Logger): Promise<PeerAddress | null> {
  try {
    return await resolvePeer(peer)
  } catch (error) {
    log.warn({ host: peer.host, reason: (error as Error).message }, 'a peer of --peer has no address')
    return null
  }
}

/** @throws NodeError `PEERS` when the stored chain has another block at a checkpoint */
function assertCheckpoints({ checkpoints }: PeerOptions, { reader }: SyncChain): void {
  for (const { number, hash } of checkpoints) {
    const stored = reader.hashByNumber(number)
    if (stored === null || stored.equals(hash)) continue
    throw new NodeError(
      'PEERS',
      `the data directory has another chain than --checkpoints: block ${number} is ${toHex(stored)}, not ${toHex(hash)}`,
    )
  }
}

function toPeerError(error: unknown, { host, port }: PeerOptions): NodeError {
  if (error instanceof NodeError) return error
  if (error instanceof NodeKeyError) return new NodeError('PEERS', error.message, { cause: error })
  const { code, message } = error as NodeJS.ErrnoException
  const reason =
    code === 'EADDRINUSE'
      ? `port ${port} of ${host} is taken by another program: choose another with --p2p-port`
      : `peers cannot connect to ${host} port ${port}: ${message}`
  return new NodeError('PEERS', reason, { cause: error })
}

function send(message: LifeMessage<PeerThreadReady> | PeerThreadNotice): void {
  parentPort?.postMessage(message)
}
