import { setTimeout as sleep } from 'node:timers/promises'
import { askNode, JsonRpcError } from '../../support/nodeProcess.ts'

/** A member that refuses because of the fleet, for the moment. */
const AWAY = -32_000
const PAUSE_MS = 50
const ATTEMPTS = 600

/** Asks a member until it is not held by a round, and serves. @throws JsonRpcError for any other refusal */
export async function askPatiently<T>(url: string, method: string, params: readonly unknown[]): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await askNode<T>(url, method, params)
    } catch (error) {
      if (!(error instanceof JsonRpcError) || error.code !== AWAY || attempt === ATTEMPTS) throw error
    }
    await sleep(PAUSE_MS)
  }
}
