import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createRandom } from '../../test/support/random.ts'
import { WORK_FOLDER } from '../report/results.ts'
import type { WeightedRequest, Workload } from './workloads.ts'

/** What the load generator saw. Latencies in milliseconds. */
export interface LoadFigures {
  readonly requests: number
  readonly requestsPerSecond: number
  readonly p50: number
  readonly p99: number
  readonly p999: number
  /** Connections that broke, answers that are no 2xx or 3xx, time-outs. */
  readonly failures: number
}

export interface LoadOptions {
  readonly seconds: number
  readonly connections: number
}

/** Requests in the cycle of a mix. */
const CYCLE = 1_000

/** Why there can be no load, or null: wrk is the Debian package of that name. */
export function missingGenerator(): string | null {
  return spawnSync('wrk', ['--version']).error === undefined
    ? null
    : 'wrk is not installed (Debian package wrk)'
}

/** Loads a node with as many requests at a time as there are connections, each after the answer to the one before. */
export async function runLoad(url: string, workload: Workload, options: LoadOptions): Promise<LoadFigures> {
  const script = writeScript(workload)
  const args = [
    '-t1',
    `-c${options.connections}`,
    `-d${options.seconds}s`,
    '--timeout',
    '10s',
    '-s',
    script,
    url,
  ]
  const output = await new Promise<string>((resolve, reject) => {
    const child = spawn('wrk', args, { stdio: ['ignore', 'pipe', 'inherit'] })
    let text = ''
    child.stdout.setEncoding('utf8').on('data', (part: string) => {
      text += part
    })
    child.once('error', reject)
    child.once('close', () => resolve(text))
  })
  const line = /^FIGURES (.*)$/m.exec(output)?.[1]
  if (line === undefined) throw new Error(`wrk printed:\n${output}`)
  return JSON.parse(line) as LoadFigures
}

function writeScript({ name, requests }: Workload): string {
  const bodies = cycle(requests).map((request) => `  [==[${bodyOf(request)}]==],`)
  mkdirSync(WORK_FOLDER, { recursive: true })
  const file = `${WORK_FOLDER}${name.replaceAll(/\W+/g, '-')}.lua`
  writeFileSync(
    file,
    `wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
local bodies = {
${bodies.join('\n')}
}
local requests = {}
local turn = 0
function init()
  for i, body in ipairs(bodies) do requests[i] = wrk.format(nil, nil, nil, body) end
end
function request()
  turn = turn % #requests + 1
  return requests[turn]
end
function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    'FIGURES {"requests":%d,"requestsPerSecond":%.1f,"p50":%.3f,"p99":%.3f,"p999":%.3f,"failures":%d}\\n',
    summary.requests, summary.requests / summary.duration * 1e6,
    latency:percentile(50) / 1000, latency:percentile(99) / 1000, latency:percentile(99.9) / 1000,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout))
end
`,
  )
  return file
}

/** The requests in a fixed order in which each has its share. */
function cycle(requests: readonly WeightedRequest[]): WeightedRequest['request'][] {
  if (requests.every(({ weight }) => weight === 1)) return requests.map(({ request }) => request)
  const total = requests.reduce((sum, { weight }) => sum + weight, 0)
  const random = createRandom(1)
  return Array.from({ length: CYCLE }, () => {
    let left = random() * total
    for (const { weight, request } of requests) {
      left -= weight
      if (left < 0) return request
    }
    return (requests.at(-1) as WeightedRequest).request
  })
}

/** The text of a request or of a batch. */
export function bodyOf(request: WeightedRequest['request']): string {
  const entry = (item: object, id: number) => ({ jsonrpc: '2.0', id, ...item })
  return JSON.stringify(
    Array.isArray(request) ? request.map((item, i) => entry(item, i + 1)) : entry(request, 1),
  )
}
