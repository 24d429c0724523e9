import { request } from 'node:http'
import { DEFAULT_FRONT, DEFAULT_LIMITS } from '../../src/front/options.ts'
import { openService, type Service } from '../../src/front/service.ts'
import { OPEN_ADMISSION } from '../../src/gateway/admission.ts'
import { createLanes } from '../../src/gateway/lanes.ts'
import { openNodeContext } from '../support/chainContext.ts'
import type { AskedAnswer } from './ask.ts'
import type { Exchange } from './exchanges.ts'

const LANE = { permits: 64, queue: 256, timeout: 5 }
/** Any block of the recorded chain: what is asked over bare HTTP is not about blocks. */
const HEAD = '0xd4ad81091f44b6272b0d70e48840a41041aba1883d4a241f70aa30bfd92ac3d3'

/** A service that answers over a socket, for exchanges that are about HTTP. */
export function openHttpService(): Promise<Service> {
  return openService({
    front: { ...DEFAULT_FRONT, port: 0 },
    limits: DEFAULT_LIMITS,
    lanes: createLanes({ read: LANE, evm: LANE, scan: LANE, proof: LANE, trace: LANE }),
    workers: 1,
    admission: OPEN_ADMISSION,
    context: openNodeContext({ head: HEAD }, { flags: new Int32Array(8192), slot: 0 }),
    contextModule: new URL('../support/chainContext.ts', import.meta.url),
    contextOptions: { head: HEAD },
    probes: { ready: async () => [], metrics: null },
    onUnexpected: () => undefined,
    onLostBatch: () => undefined,
    onChainPort: (port) => port.close(),
  })
}

/** Sends a recorded request with its verb, path and headers. */
export function askHttp(port: number, { http, request: body }: Exchange): Promise<AskedAnswer> {
  const { method = 'POST', path = '/', headers = {} } = http ?? {}
  return new Promise((resolve, reject) => {
    const asked = request({ port, host: '127.0.0.1', method, path, headers, agent: false }, (response) => {
      const parts: Buffer[] = []
      response.on('data', (part: Buffer) => parts.push(part))
      response.on('end', () => {
        resolve({ text: Buffer.concat(parts).toString('utf8'), status: response.statusCode ?? 0 })
      })
    })
    asked.on('error', reject)
    asked.end(typeof body === 'string' ? body : JSON.stringify(body))
  })
}
