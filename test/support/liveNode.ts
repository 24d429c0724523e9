import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fillDefaults } from '../../src/config/load.ts'
import { regtest } from '../../src/config/networks/regtest.ts'
import type { PartialConfig } from '../../src/config/schema.ts'
import { FrontEvents } from '../../src/filters/frontEvents.ts'
import type { MineRequest } from '../../src/mining/blockProducer.ts'
import { createLocalNode, type LocalNode } from '../../src/node/localNode.ts'
import { nodeInfoFromConfig } from '../../src/node/nodeInfo.ts'
import { chainOptionsFromConfig } from '../../src/node/options/chainOptions.ts'
import type { NodeContext, RpcSettings } from '../../src/rpc/context.ts'
import { EVENT_TEXTS } from '../../src/rpc/format/eventTexts.ts'
import { openWallet } from '../../src/wallet/openWallet.ts'
import { createLocalService, type LocalService } from './ask.ts'
import { LIGHT_SCRYPT } from './walletContext.ts'

/** Elements of the table of interrupts. */
const INTERRUPTS = 8192

/** A node in this thread with wallet and filters, whose clock the scenario moves. */
export interface LiveNode {
  readonly node: LocalNode
  readonly service: LocalService
  /** Milliseconds since 1970. */
  readonly clock: { milliseconds: number }
  close(): Promise<void>
}

/**
 * Opens a regtest node in a folder of its own.
 * @param start what its clock shows first, milliseconds since 1970
 * @param mine in place of making a block when a request asks for one
 * @param settings in place of what the configuration tells the methods
 */
export async function openLiveNode(
  config: PartialConfig,
  start: number,
  mine: (request: MineRequest) => Promise<void>,
  onUnexpected: (method: string, error: unknown) => void,
  settings: Partial<RpcSettings> = {},
): Promise<LiveNode> {
  const dataDir = await mkdtemp(join(tmpdir(), 'rhizome-scenario-'))
  const complete = fillDefaults({ network: 'regtest', ...config, dataDir })
  const clock = { milliseconds: start }
  let service: LocalService | null = null
  let events: FrontEvents | null = null
  const info = nodeInfoFromConfig(complete, 'replay')
  const node = createLocalNode({
    chain: chainOptionsFromConfig(complete, 'Rhizome-replay'),
    node: { ...info, settings: { ...info.settings, ...settings } },
    now: () => clock.milliseconds,
    listener: {
      onHead: (notice) => {
        service?.gateway.onChange()
        node.context.refresh()
        events?.headChanged(notice)
        node.context.release()
      },
      onPending: (notices) => {
        service?.gateway.onChange()
        events?.pendingAdded(notices)
      },
      onMode: () => service?.gateway.onStatusChange(),
      onChange: () => service?.gateway.onChange(),
    },
  })
  const wallet = await openWallet({
    dataDir,
    mining: regtest.mining,
    onSkippedFile: () => undefined,
    scrypt: LIGHT_SCRYPT,
  })
  events = new FrontEvents(node.context, EVENT_TEXTS, {
    filters: { timeout: 3_600_000, most: 1000 },
    subscriptions: 100,
  })
  const context: NodeContext = {
    ...node.context,
    // A request has an element of its own.
    interrupt: { flags: new Int32Array(INTERRUPTS), slot: 0 },
    wallet: complete.wallet ? wallet : null,
    front: events,
    commands: { ...node.context.commands, mine: (request = {}) => mine(request) },
  }
  service = createLocalService(context, {
    batch: complete.maxBatchRequests,
    answerBytes: complete.maxResponseSize,
    responseCacheBytes: complete.responseCache * 1024 * 1024,
    stateStore: node.core.open.stateStore,
    onUnexpected,
  })
  const opened = service
  return {
    node,
    service: opened,
    clock,
    close: async () => {
      opened.close()
      wallet.close()
      await node.close()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
