import { DEFAULT_FRONT, type FrontOptions } from '../../src/front/options.ts'
import { loadSocketLibrary, type SocketLibrary } from '../../src/front/socketLibrary.ts'
import { OPEN_ADMISSION } from '../../src/gateway/admission.ts'
import { DEFAULT_LIMITS } from '../../src/gateway/gateway.ts'
import { createLanes } from '../../src/gateway/scheduler/lanes.ts'
import { openService, type Service, type ServiceOptions } from '../../src/node/service.ts'
import { openNodeContext } from './chainContext.ts'

/** Any block of the recorded chain: what is asked over bare HTTP is not about blocks. */
const HEAD = '0xd4ad81091f44b6272b0d70e48840a41041aba1883d4a241f70aa30bfd92ac3d3'

/** What a test of the service sets. */
export interface HttpServiceOptions {
  /** @default the one that a node takes */
  readonly sockets?: SocketLibrary
  readonly front?: Partial<FrontOptions>
  readonly watch?: ServiceOptions['watch']
  readonly limits?: ServiceOptions['limits']
  /** Of every lane. @default 256 in the queue, 5 seconds */
  readonly lane?: { readonly queue: number; readonly timeout: number }
  readonly blockHeaders?: boolean
  /** Whether reads of an account's state never come back. */
  readonly freezeOnState?: boolean
}

/** A service that answers over a socket, for exchanges that are about HTTP. To be stopped by the caller. */
export function openHttpService({
  sockets = loadSocketLibrary(),
  front,
  watch,
  limits = DEFAULT_LIMITS,
  lane,
  freezeOnState,
  blockHeaders = false,
}: HttpServiceOptions = {}): Promise<Service> {
  const laneLimits = lane ?? { queue: 256, timeout: 5 }
  return openService({
    sockets,
    front: { ...DEFAULT_FRONT, port: 0, ...front },
    limits,
    lanes: createLanes({
      read: laneLimits,
      evm: laneLimits,
      scan: laneLimits,
      proof: laneLimits,
      trace: laneLimits,
    }),
    workers: 1,
    admission: OPEN_ADMISSION,
    context: openNodeContext({ head: HEAD }, { flags: new Int32Array(8192), slot: 0 }),
    contextModule: new URL('./chainContext.ts', import.meta.url),
    contextOptions: { head: HEAD, ...(freezeOnState === undefined ? {} : { freezeOnState }) },
    probes: { ready: async () => [], metrics: null },
    blockHeaders,
    ...(watch === undefined ? {} : { watch }),
    onUnexpected: () => undefined,
    onLostBatch: () => undefined,
    onChainPort: (port) => port.close(),
  })
}
