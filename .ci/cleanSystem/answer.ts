import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { CleanRoot, RunOptions } from './root.ts'

/** eth_chainId of the development chain that README's first command starts. */
const CHAIN_ID = '0x21'
/** Milliseconds between two questions. */
const PAUSE = 50
/** Seconds after which a command that neither ends nor answers is killed. */
const LIMIT = 1200

/** What came of a command that is to end in a node that answers. */
export interface Attempt {
  readonly answered: boolean
  /** Exit code of a command that ended before an answer; null also when it was killed. */
  readonly status: number | null
  /** Seconds from the beginning of the command. */
  readonly total: number
  /** Seconds from `npm start` on; null when it came to none. */
  readonly start: number | null
  readonly lines: readonly string[]
}

/** A port of loopback that nothing listens on. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}

async function chainId(port: number): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] })
  const headers = { 'content-type': 'application/json' }
  try {
    const answer = await fetch(`http://127.0.0.1:${port}`, { method: 'POST', headers, body })
    return ((await answer.json()) as { result?: unknown }).result
  } catch {
    return undefined
  }
}

/** Runs a command in a root until the node that it starts answers, or until it ends; then kills it. */
export async function untilAnswer(root: CleanRoot, command: string, options: RunOptions): Promise<Attempt> {
  const port = await freePort()
  const began = performance.now()
  const seconds = () => (performance.now() - began) / 1000
  let started: number | null = null
  const running = root.start(command, {
    ...options,
    environment: { ...options.environment, RHIZOME_HTTP_PORT: String(port) },
    onLine: (line) => {
      if (/^> rhizome@\S+ start$/.test(line)) started = seconds()
      options.onLine?.(line)
    },
  })
  let status: number | null | undefined
  void running.ended.then((code) => {
    status = code
  })
  let answered = false
  while (!answered && status === undefined && seconds() < LIMIT) {
    answered = (await chainId(port)) === CHAIN_ID
    if (!answered) await sleep(PAUSE)
  }
  const total = seconds()
  await running.kill()
  return {
    answered,
    status: answered ? null : (status ?? null),
    total,
    start: started === null ? null : total - started,
    lines: [...running.lines],
  }
}
