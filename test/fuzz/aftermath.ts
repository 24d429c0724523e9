import type { NodeProcess } from '../support/nodeProcess.ts'

/** An account that no request names: those that they name may have got any code and any balance. */
const UNTOUCHED = `0x${'7e57'.repeat(10)}`

/** Asks one method of every lane. @returns what is wrong, or null */
export async function stillAnswers(node: NodeProcess): Promise<string | null> {
  const call = { from: UNTOUCHED, to: UNTOUCHED }
  const asked: readonly (readonly [string, readonly unknown[]])[] = [
    ['eth_blockNumber', []],
    ['eth_getBalance', [UNTOUCHED, '0x0']],
    ['eth_call', [call, 'latest']],
    ['eth_getLogs', [{ fromBlock: '0x0', toBlock: '0x0' }]],
    ['eth_getProof', [UNTOUCHED, [], 'latest']],
    ['debug_traceCall', [call, 'latest', {}]],
  ]
  for (const [method, params] of asked) {
    try {
      await node.request(method, params)
    } catch (error) {
      return `${method} fails: ${error instanceof Error ? error.message : String(error)}`
    }
  }
  return null
}

/** Entries that say that something was not foreseen, or that a thread died; each once. */
export function faultOfLog(output: string): string | null {
  const entries = output.split('\n').filter((line) => /"level":"?(50|60|error|fatal)/.test(line))
  if (entries.length === 0) return null
  const texts = entries.map((line) => {
    const { method, msg, err } = JSON.parse(line) as LogEntry
    return `${method ?? ''} ${msg ?? ''}: ${err?.stack?.split('\n').slice(0, 6).join(' ') ?? ''}`
  })
  const each = [...new Map(texts.map((text) => [text.slice(0, 100), text])).values()]
  return `${entries.length} errors in the log:\n${each.join('\n')}`
}

/** What is read of an entry. */
interface LogEntry {
  readonly method?: string
  readonly msg?: string
  readonly err?: { readonly stack?: string }
}
