import type { Test } from 'tap'
import type { EventLimits } from '../../src/filters/frontEvents.ts'
import { DEFAULT_FRONT, type FrontOptions } from '../../src/front/options.ts'
import { loadSocketLibrary } from '../../src/front/socketLibrary.ts'
import { type Admission, OPEN_ADMISSION } from '../../src/gateway/admission.ts'
import { DEFAULT_LIMITS } from '../../src/gateway/gateway.ts'
import { createLanes } from '../../src/gateway/scheduler/lanes.ts'
import { openService, type Service } from '../../src/node/service.ts'
import type { SyntheticChain } from './syntheticChain.ts'

const LANE = { queue: 256, timeout: 60 }

/** What a test says about its service; the rest is as by default. */
export interface EventServiceOptions {
  /** File that ends a worker when it reads while the file is there. */
  readonly deadly?: string
  readonly events?: EventLimits
  readonly front?: Partial<FrontOptions>
  readonly answerBytes?: number
  readonly admission?: Admission
}

/** A service over a synthetic chain, and a client of it over HTTP. */
export interface EventService {
  readonly service: Service
  ask(
    method: string,
    ...params: readonly unknown[]
  ): Promise<{ readonly result?: unknown; readonly error?: unknown }>
}

/** Opens sockets and workers on a free port; they end with the test. */
export async function openEventService(
  t: Test,
  chain: SyntheticChain,
  { deadly, events, front, answerBytes, admission }: EventServiceOptions = {},
): Promise<EventService> {
  const service = await openService({
    sockets: loadSocketLibrary(),
    front: { ...DEFAULT_FRONT, port: 0, ...front },
    limits: { ...DEFAULT_LIMITS, ...(answerBytes === undefined ? {} : { answerBytes }) },
    lanes: createLanes({ read: LANE, evm: LANE, scan: LANE, proof: LANE, trace: LANE }),
    workers: 1,
    admission: admission ?? OPEN_ADMISSION,
    context: chain.context(),
    contextModule: new URL('./syntheticChain.ts', import.meta.url),
    contextOptions: { path: chain.path, ...(deadly === undefined ? {} : { deadly }) },
    probes: { ready: async () => [], metrics: null },
    onUnexpected: (_method, error) => t.error(error),
    onLostBatch: () => undefined,
    onChainPort: (port) => port.close(),
    ...(events === undefined ? {} : { events }),
  })
  t.teardown(() => service.stop())
  return {
    service,
    ask: async (method, ...params) => {
      const response = await fetch(`http://127.0.0.1:${service.port}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      })
      return (await response.json()) as { result?: unknown; error?: unknown }
    },
  }
}
