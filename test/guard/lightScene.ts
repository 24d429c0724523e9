import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fillDefaults } from '../../src/config/load.ts'
import type { Config } from '../../src/config/schema.ts'
import { FrontEvents } from '../../src/filters/frontEvents.ts'
import { AnswerHeaders } from '../../src/front/answerHeaders.ts'
import { AnswerPacer } from '../../src/front/answerPacer.ts'
import { FrontMetrics } from '../../src/front/frontMetrics.ts'
import type { HttpRoutes } from '../../src/front/http.ts'
import { Origins } from '../../src/front/origins.ts'
import { TickBudget } from '../../src/front/tickBudget.ts'
import { AccessAdmission } from '../../src/gateway/access/accessAdmission.ts'
import { FrontHead } from '../../src/gateway/entrance/frontHead.ts'
import { FastPath } from '../../src/gateway/fastPath/fastPath.ts'
import { Router } from '../../src/gateway/router.ts'
import { TickSnapshot } from '../../src/gateway/tickSnapshot.ts'
import { addon } from '../../src/native/addon.ts'
import { createLocalNode, type LocalNode } from '../../src/node/localNode.ts'
import { nodeInfoFromConfig } from '../../src/node/nodeInfo.ts'
import { accessRulesFromConfig } from '../../src/node/options/accessOptions.ts'
import { chainOptionsFromConfig } from '../../src/node/options/chainOptions.ts'
import {
  eventLimitsFromConfig,
  frontOptionsFromConfig,
  gatewayLimitsFromConfig,
} from '../../src/node/options/serviceOptions.ts'
import { EVENT_TEXTS } from '../../src/rpc/format/eventTexts.ts'
import { METHODS, UNSUPPORTED_METHODS } from '../../src/rpc/methods.ts'
import { MemoryBook } from '../support/accessScene.ts'
import { createLocalService } from '../support/ask.ts'
import { keyRecord } from '../support/keyRecords.ts'
import type { Headers } from './scriptedLibrary.ts'

/** Who asks, and of which node. */
export type Access = 'dev' | 'hosted' | 'hosted, key'

/** What a front of a chain is made of. */
export interface LightFront {
  readonly config: Config
  readonly routes: HttpRoutes
  /** A fast path of its own, as the gateway has one. */
  openFastPath(): FastPath
}

/** Fronts of one chain that has its genesis block. */
export interface LightScene {
  readonly front: (access: Access) => LightFront
  close(): Promise<void>
}

const KEY = 'ada'
/** Milliseconds of each look at the clock of limits: nobody who waits so long is over a rate. */
const STEP = 1000.5
/** Elements of the table of interrupts. */
const INTERRUPTS = 8192

/** The path that requests of a caller have. */
export function pathOf(access: Access): string {
  return access === 'hosted, key' ? `/${KEY}-secret` : '/'
}

/** What a program sends along. */
export function fewHeaders(bytes: number): Headers {
  return [
    ['host', 'localhost:4444'],
    ['content-type', 'application/json'],
    ['content-length', String(bytes)],
  ]
}

/** What a browser sends along that shows a page of the same machine. */
export function pageHeaders(bytes: number): Headers {
  return [
    ['host', 'localhost:4444'],
    ['connection', 'keep-alive'],
    ['content-length', String(bytes)],
    ['user-agent', 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0'],
    ['content-type', 'application/json'],
    ['accept', '*/*'],
    ['origin', 'http://localhost:3000'],
    ['accept-encoding', 'gzip, deflate, br'],
    ['accept-language', 'en-GB,en;q=0.9'],
  ]
}

/** The headers of the request that opens a WebSocket. */
export const SOCKET_HEADERS: Headers = [
  ['host', 'localhost:4444'],
  ['upgrade', 'websocket'],
  ['connection', 'Upgrade'],
  ['sec-websocket-key', 'dGhlIHNhbXBsZSBub25jZQ=='],
  ['sec-websocket-version', '13'],
]

/** Opens the chain, in this thread. */
export async function openLightScene(): Promise<LightScene> {
  // A script has no descriptors.
  Reflect.set(addon, 'socketDescriptor', () => null)
  const dataDir = await mkdtemp(join(tmpdir(), 'rhizome-guard-'))
  const dev = fillDefaults({ network: 'regtest', dataDir })
  const node = createLocalNode({
    chain: chainOptionsFromConfig(dev, 'Rhizome-guard'),
    node: nodeInfoFromConfig(dev, 'guard'),
  })
  const hosted = fillDefaults({
    network: 'regtest',
    profile: 'hosted',
    // The clients of a bench come from one address.
    clientSockets: 1_000_000,
    metricsPort: 0,
    dataDir,
  })
  const fronts: Readonly<Record<Access, LightFront>> = {
    dev: openFront(node, dev, false),
    hosted: openFront(node, hosted, false),
    'hosted, key': openFront(node, hosted, true),
  }
  return {
    front: (access) => fronts[access],
    close: async () => {
      await node.close()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

/** The parts of `openService`, without workers. */
function openFront(local: LocalNode, config: Config, hasKey: boolean): LightFront {
  const context = {
    ...local.context,
    node: nodeInfoFromConfig(config, 'guard'),
    // A request has an element of its own.
    interrupt: { flags: new Int32Array(INTERRUPTS), slot: 0 },
  }
  let now = 0
  const book = new MemoryBook()
  if (hasKey) book.set([keyRecord(KEY)])
  const admission = new AccessAdmission({
    book,
    methods: METHODS,
    clocks: { wall: Date.now, monotonic: () => (now += STEP) },
    timezone: config.quotaTimezone,
    retention: config.usageRetention,
    rules: accessRulesFromConfig(config),
  })
  const events = new FrontEvents(context, EVENT_TEXTS, eventLimitsFromConfig(config))
  const head = new FrontHead(context)
  const limits = gatewayLimitsFromConfig(config)
  const { stateStore } = local.core.open
  const { gateway } = createLocalService(
    { ...context, front: events },
    {
      ...limits,
      admission,
      stateStore,
      head,
      namesBlocks: config.blockHeaders,
      watch: { threshold: config.slowRequestTime, onSlow: () => undefined },
      onUnexpected: (_, error) => {
        throw error
      },
    },
  )
  const options = frontOptionsFromConfig(config)
  const routes: HttpRoutes = {
    events,
    gateway,
    admission,
    options,
    origins: new Origins(options),
    answerBytes: config.maxResponseSize,
    probes: { ready: async () => [], metrics: null },
    page: null,
    metrics: new FrontMetrics(),
    pacer: new AnswerPacer(),
    headers: config.blockHeaders ? new AnswerHeaders(head) : null,
    loop: new TickBudget(),
    tracing: null,
  }
  const openFastPath = () =>
    new FastPath({
      router: new Router({
        methods: METHODS,
        unsupported: UNSUPPORTED_METHODS,
        enabled: context.node.settings.enabled,
      }),
      stateStore,
      snapshot: new TickSnapshot(context),
      encodedObjects: context.encodedObjects,
      batch: limits.batch,
      answerBytes: limits.answerBytes,
      responseCacheBytes: limits.responseCacheBytes ?? 0,
    })
  return { config, routes, openFastPath }
}
